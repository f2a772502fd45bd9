/**
 * The address of a page of the console: `SERVICE_UI_BASE`, whatever path it has, and then the page's own. Nothing is
 * served there by the service itself.
 */
export function consoleAddress(uiBase: string, page: string, query: Record<string, string> = {}): string {
  const base = uiBase.endsWith('/') ? uiBase : `${uiBase}/`;
  const address = new URL(page, base);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.toString();
}

/**
 * The path by which a browser finds a path of this service: below the path of `SERVICE_UI_BASE`, which the proxy takes
 * off. A redirect names it, so that it works at whichever host the browser knows the service by.
 */
export function browserPath(uiBase: string, path: `/${string}`): string {
  return `${new URL(uiBase).pathname.replace(/\/+$/, '')}${path}`;
}
