/** Paths that belong to programs and to files: the document of the console is never served there. */
const NOT_PAGES = /^\/(?:api|health|oauth2|assets)(?:\/|$)/i;
const NAMES_HTML = /(?:^|,)\s*text\/html\s*(?:;|,|$)/i;

export interface BrowserRequest {
  method: string;
  path: string;
  accept: string | undefined;
}

/** True for a GET or HEAD by which a browser opens a page; Terraform's client never names text/html. */
export function asksForPage(request: BrowserRequest): boolean {
  return isReading(request.method) && NAMES_HTML.test(request.accept ?? '') && !NOT_PAGES.test(request.path);
}

/** True for a step of single sign-on that a browser follows by itself; its failure should end on a page. */
export function isSignInStep(request: BrowserRequest): boolean {
  const isStep = /^\/(?:oauth2\/[^/]+\/callback|api\/v1\/login\/[^/]+|api\/v1\/oauth2\/[^/]+\/complete)\/?$/i;
  return request.method === 'GET' && NAMES_HTML.test(request.accept ?? '') && isStep.test(request.path);
}

export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The path of `SERVICE_UI_BASE`, with a slash at both ends: where the console and its API are found by a browser. */
export function basePath(uiBase: string): string {
  const { pathname } = new URL(uiBase);
  return pathname.endsWith('/') ? pathname : `${pathname}/`;
}

/** Content-Security-Policy of the document; `nonce` is a fresh one for each answer. */
export function contentSecurityPolicy(nonce: string, { secure }: { secure: boolean }): string {
  const directives = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ];
  return [...directives, ...(secure ? ['upgrade-insecure-requests'] : [])].join('; ');
}

/** Headers of every page; `secure` when people browse the service by https. */
export function pageHeaders(nonce: string, { secure }: { secure: boolean }): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentSecurityPolicy(nonce, { secure }),
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // Browsers ignore both on plain http, and complain about the first.
    ...(secure
      ? {
          'Cross-Origin-Opener-Policy': 'same-origin',
          'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
        }
      : {}),
  };
}

/** What is the same in every answer of a process. */
export interface DocumentSettings {
  base: string;
  /** `community` or `enterprise` */
  edition: string;
}

export interface DocumentValues {
  nonce: string;
  /** error id of a sign-in that failed; empty otherwise */
  failure: string;
  /** whether the browser sent a session cookie, valid or not */
  hasSession: boolean;
}

/**
 * Prepares the built document once: its parts are named relative to it, and it is served below any path. The function
 * fills in what is different in each answer.
 */
export function documentFiller(
  template: string,
  { base, edition }: DocumentSettings,
): (values: DocumentValues) => string {
  const path = escapeAttribute(base);
  const pieces = template
    .replaceAll('"./assets/', () => `"${path}assets/`)
    .replaceAll('__SERVICE_BASE__', () => path)
    .replaceAll('__SERVICE_EDITION__', () => escapeAttribute(edition))
    .split(/(__SERVICE_FAILURE__|__SERVICE_SESSION__|__CSP_NONCE__)/);
  return ({ nonce, failure, hasSession }) => {
    const filled: Record<string, string> = {
      __SERVICE_FAILURE__: escapeAttribute(failure),
      __SERVICE_SESSION__: hasSession ? 'present' : '',
      __CSP_NONCE__: nonce,
    };
    return pieces.map((piece) => filled[piece] ?? piece).join('');
  };
}

function escapeAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The best encoding of those that exist, for the `Accept-Encoding` of a request. */
export function chooseEncoding(accepted: string | undefined): 'br' | 'gzip' | undefined {
  const offers = (accepted ?? '').split(',').map((part) => part.trim().toLowerCase());
  const takes = (name: string): boolean =>
    offers.some((offer) => {
      const [coding, ...parameters] = offer.split(';').map((part) => part.trim());
      return coding === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    });
  if (takes('br')) return 'br';
  return takes('gzip') ? 'gzip' : undefined;
}
