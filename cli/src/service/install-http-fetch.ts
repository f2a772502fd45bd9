import { HttpFetch } from './http-fetch.js';

/** What all requests of this process go through. */
export const httpFetch = new HttpFetch();

// A module of its own, so that it runs before the SDK is loaded.
httpFetch.install();
