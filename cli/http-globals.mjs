// For esbuild's --inject, which takes names from ES modules only; see src/service/http-globals.ts.
export { fetch, Headers, Request, Response } from './dist/service/http-globals.js';
