import { client } from './generated/client.gen';
import { refuseNonObject, refusePage, toFailure, unexpectedAnswer } from './failure';
import { parseLossless } from './lossless';

/** Path below which the console and its API are found, with a slash at both ends. */
export const BASE_PATH = metaContent('service-base') || '/';
/** Address of the service as this browser knows it. */
export const SERVICE_ADDRESS = `${location.origin}${BASE_PATH.slice(0, -1)}`;
/** Error id of a single sign-on that failed; the service writes it into the document. */
export const SIGN_IN_FAILURE = metaContent('service-failure');

/** Edition of the service: `community` or `enterprise`. */
export const EDITION = metaContent('service-edition');

let maybeSignedIn = metaContent('service-session') === 'present';
let sessionEnded: () => void = () => undefined;
let clockOffset = 0;

/** Call once before anything is asked. `onSessionEnd` runs on every 401 to somebody who was signed in. */
export function connectService(onSessionEnd: () => void): void {
  sessionEnded = onSessionEnd;
  client.setConfig({
    baseUrl: SERVICE_ADDRESS,
    credentials: 'same-origin',
    responseValidator: refuseNonObject,
  });
  client.interceptors.response.use((response: Response, request: Request) => {
    noteClock(response);
    refusePage(response);
    if (isSignIn(request)) maybeSignedIn ||= response.ok;
    else if (isSignOut(request)) maybeSignedIn = false;
    else if (response.status === 401) {
      maybeSignedIn = false;
      sessionEnded();
    }
    return response;
  });
  client.interceptors.error.use((error: unknown, response: Response | undefined) =>
    toFailure(error, response),
  );
}

/** False when the browser has no session for certain: asking who is signed in would only be refused. */
export function mayBeSignedIn(): boolean {
  return maybeSignedIn;
}

/** The service's time, for a browser whose clock is wrong. */
export function serviceNow(): number {
  return Date.now() + clockOffset;
}

function noteClock(response: Response): void {
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (Number.isNaN(date)) return;
  const offset = date - Date.now();
  // The header has whole seconds: below that nothing is known.
  clockOffset = Math.abs(offset) < 5_000 ? 0 : offset;
}

/** A wrong password is no end of a session, and a right one is the begin of one. */
function isSignIn(request: Request): boolean {
  return /\/(?:login\/password|setup\/admin|users\/change-password)$/.test(new URL(request.url).pathname);
}

function isSignOut(request: Request): boolean {
  return new URL(request.url).pathname.endsWith('/logout');
}

function metaContent(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
  return content.startsWith('__') ? '' : content;
}

/** Add to the options of a call whose numbers are shown: the body is kept as text for `lossless`. */
export const AS_TEXT = { parseAs: 'text' } as const;

/** Query options made with `AS_TEXT`, whose answer is parsed with every digit. */
export function lossless<T extends { queryFn?: unknown }>(options: T): T {
  const read = options.queryFn as (context: unknown) => Promise<unknown>;
  return { ...options, queryFn: async (context: unknown) => losslessly(await read(context)) };
}

/** Body of a call made with `AS_TEXT`. */
export function losslessly<T>(body: T): T {
  if (typeof body !== 'string') return body;
  try {
    return parseLossless(body) as T;
  } catch {
    throw unexpectedAnswer(200, 'broken JSON');
  }
}
