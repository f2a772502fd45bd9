export { Answers, ErrorBody, Refuses } from './answers.js';
export { dropRemainder } from './body-remainder.js';
export { DOCUMENT_PACE, SMALL_BODY_PACE } from './body-pace.js';
export { ClientLeft, clientLeft, leavingOf } from './client-left.js';
export { browserPath, consoleAddress } from './console-address.js';
export { refuseCrossOrigin } from './cross-origin.js';
export { LimitParameter, Name, PageLimit, PageToken, RowLimit, Trimmed } from './fields.js';
export { type JsonBounds } from './json-bounds.js';
export { LARGE_BODY, LargeBody, type LargeBodyDeclaration, StreamedBody } from './large-body.js';
export { arriving, type BodyLimit, hasBody, parseJson, readBody, refuseExcess } from './read-body.js';
export { ownDestination } from './own-origin.rules.js';
export {
  decodePageToken,
  decodePosition,
  decodeText,
  decodeTextAndId,
  decodeTimeAndId,
  encodePageToken,
  LARGEST_INTEGER,
} from './page-token.js';
export { currentRequestId, requestContext, requestIdOf } from './request-context.js';
export { RequiredQuery } from './required-query.js';
export { sendParts } from './send-parts.js';
export { AnswersPage, PageLinks, pageLimit, TokenPage } from './token-page.js';
export { requestValidation } from './validation.js';
