export { describeApi, OpenApiDocument } from './openapi-document.js';
export { ApiReference } from './api-reference.js';
export { ServerModule } from './server.module.js';
