import type { Request } from 'express';

/** RFC 8288 `Link` value for the next page of this very request. */
export function nextPageLink(request: Request, uiBase: string, token: string): string {
  return pageLink(request, uiBase, token, 'next');
}

export function pageLink(request: Request, uiBase: string, token: string, rel: 'next' | 'prev'): string {
  const url = new URL(request.originalUrl, uiBase);
  url.searchParams.set('page', token);
  return `<${url.toString()}>; rel="${rel}"`;
}
