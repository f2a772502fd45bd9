export { Answers, ErrorBody, Refuses } from './answers.js';
export { clientLeft } from './client-left.js';
export { consoleAddress } from './console-address.js';
export { refuseCrossOrigin } from './cross-origin.js';
export { LargeBody } from './large-body.js';
export { LimitParameter } from './limit-parameter.js';
export { nextPageLink, pageLinks } from './link-header.js';
export {
  decodePageToken,
  decodePosition,
  decodeText,
  decodeTimeAndId,
  encodePageToken,
  LARGEST_INTEGER,
} from './page-token.js';
export { currentRequestId, requestContext, requestIdOf } from './request-context.js';
export { RequiredQuery } from './required-query.js';
export { requestValidation } from './validation.js';
