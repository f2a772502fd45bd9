export { describeApi, OpenApiDocument } from './openapi-document.js';
export { ServerModule } from './server.module.js';
