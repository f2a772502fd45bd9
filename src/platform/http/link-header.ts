import type { Request } from 'express';

/** RFC 8288 `Link` value for the next page of this very request. */
export function nextPageLink(request: Request, uiBase: string, token: string): string {
  return pageLink(request, uiBase, token, 'next');
}

function pageLink(request: Request, uiBase: string, token: string, rel: 'next' | 'prev'): string {
  // A request target may be absolute, and would replace the address of the service.
  const { pathname, search } = new URL(request.originalUrl, uiBase);
  const url = new URL(uiBase);
  url.pathname = pathname;
  url.search = search;
  url.hash = '';
  url.searchParams.set('page', token);
  return `<${url.toString()}>; rel="${rel}"`;
}

/** For the pages on either side, as far as there are any; undefined when this is the only one. */
export function pageLinks(
  request: Request,
  uiBase: string,
  tokens: { next?: string | undefined; prev?: string | undefined },
): string | undefined {
  const links = (['next', 'prev'] as const).flatMap((rel) => {
    const token = tokens[rel];
    return token === undefined ? [] : [pageLink(request, uiBase, token, rel)];
  });
  return links.length > 0 ? links.join(', ') : undefined;
}
