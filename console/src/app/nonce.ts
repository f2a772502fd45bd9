/** The nonce of this document, for everything that adds a style element of its own. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// The scroll lock of dialogs reads it from here; this module is imported before all others.
(globalThis as Record<string, unknown>)['__webpack_nonce__'] = NONCE;
