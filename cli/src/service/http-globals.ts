import { HttpFetch } from './http-fetch.js';

const http = new HttpFetch();

// esbuild puts these in the place of the names that the SDK and the commands use (tools/build.mjs): fetch by node:http,
// without changing a global.
export const fetch = http.fetch;
export { HeaderList as Headers, HttpRequest as Request, HttpResponse as Response } from './http-messages.js';

/** Closes idle connections, so that the process can end. */
export function closeConnections(): void {
  http.close();
}
