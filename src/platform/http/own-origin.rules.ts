/**
 * Where to send a browser after signing in or out: `rd` when it stays on this service, otherwise the front page. A
 * path stays a path, so that it works at whichever address the browser knows the service by.
 */
export function ownDestination(rd: string | undefined, uiBase: string): string {
  if (typeof rd !== 'string' || !isPlain(rd)) return uiBase;
  if (!URL.canParse(rd, uiBase)) return uiBase;
  const target = new URL(rd, uiBase);
  if (target.origin !== new URL(uiBase).origin || target.username !== '' || target.password !== '')
    return uiBase;
  if (!rd.startsWith('/')) return target.href;
  // `/.//host` is this origin to a URL parser, and another one to a browser that is sent only the path.
  const path = `${target.pathname}${target.search}${target.hash}`;
  return path.startsWith('//') ? uiBase : path;
}

/** Browsers drop tabs and newlines from addresses and read a backslash as a slash. */
function isPlain(text: string): boolean {
  return text.length <= 2048 && /^[\x21-\x5b\x5d-\x7e]+$/.test(text);
}
