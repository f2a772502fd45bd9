import { defineErrors } from '../../platform/errors/index.js';

export const tokenErrors = defineErrors({
  TOKEN_NOT_FOUND: [404, 'there is no such token'],
  EDITION_REQUIRED: [403, 'this needs the enterprise edition'],
});
