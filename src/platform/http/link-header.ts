import type { Request } from 'express';

/** Tokens of the pages on either side. */
export interface PageTokens {
  next?: string | undefined;
  prev?: string | undefined;
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

/** The `Link` value (RFC 8288) for the pages on either side of this request; undefined when it is the only page. */
export function pageLinks(request: Request, uiBase: string, tokens: PageTokens): string | undefined {
  const links = (['next', 'prev'] as const).flatMap((rel) => {
    const token = tokens[rel];
    return token === undefined ? [] : [pageLink(request, uiBase, token, rel)];
  });
  return links.length > 0 ? links.join(', ') : undefined;
}
