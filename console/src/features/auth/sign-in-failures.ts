const WORDS: Readonly<Record<string, string>> = {
  LOGIN_ATTEMPT_INVALID:
    'This attempt to sign in has expired, was already used, or was begun in another browser. Begin again.',
  UNAUTHENTICATED: 'The provider did not confirm who you are. Begin again, or ask your administrator.',
  RATE_LIMITED: 'There were too many attempts from your address. Wait a minute, then begin again.',
};

/** Words for a single sign-on that ended with an error id; the id itself may be anything that stands in an address. */
export function signInFailure(id: string): string {
  return Object.hasOwn(WORDS, id)
    ? (WORDS[id] ?? '')
    : 'Signing in with the provider did not work. It may be unreachable, or refuse you; begin again in a moment.';
}
