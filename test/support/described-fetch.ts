import { expectDescribed } from './description-check.js';

/** Loaded before every suite: whatever a test reads with fetch is compared with the description of the API. */
const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
  const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
  const readText = response.text.bind(response);
  // Only what is read is compared: a test may look at the head alone, or at a part of a stream.
  const text = async (): Promise<string> => {
    const body = await readText();
    const contentType = response.headers.get('content-type');
    expectDescribed({ method, url, status: response.status, contentType, text: body });
    return body;
  };
  const json = async (): Promise<unknown> => JSON.parse(await text()) as unknown;
  return Object.defineProperties(response, { text: { value: text }, json: { value: json } });
};
