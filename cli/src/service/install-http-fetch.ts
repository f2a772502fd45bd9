import { installHttpFetch } from './http-fetch.js';

// A module of its own, so that it runs before the SDK is loaded.
installHttpFetch();
