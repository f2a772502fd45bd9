import { defineErrors } from '../../platform/errors/index.js';

export const tokenErrors = defineErrors({
  TOKEN_NOT_FOUND: [404, 'token not found'],
  EDITION_REQUIRED: [403, 'refresh tokens require the enterprise edition (SERVICE_EDITION)'],
});
