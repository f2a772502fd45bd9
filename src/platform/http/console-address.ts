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
