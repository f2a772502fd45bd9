export { decoratedMethods } from './decorated-methods.js';
export { decoratedProviders } from './decorated-providers.js';
