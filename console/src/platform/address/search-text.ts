/** What stands behind the question mark: every value is text, a repeated name is a list. */
export type View = Record<string, string | string[] | undefined>;

/** TanStack Router would read `5` as a number and write text in quotes; addresses of this console are plain. */
export function parseSearch(text: string): View {
  const view: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = view[name];
    view[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return view;
}

export function stringifySearch(
  view: Record<string, string | number | boolean | string[] | null | undefined>,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(view))
    for (const one of [value].flat())
      if (one !== undefined && one !== null && one !== '') parameters.append(name, String(one));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Where to go after signing in: a path of this origin, everything else is the front page. */
export function ownPath(rd: string | undefined, origin = location.origin): string {
  if (rd === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(rd) || !URL.canParse(rd, origin))
    return '/';
  const target = new URL(rd, origin);
  const path = `${target.pathname}${target.search}${target.hash}`;
  return target.origin === origin && !path.startsWith('//') ? path : '/';
}
