import { defineErrors } from '../../platform/errors/index.js';

export const kvErrors = defineErrors({
  KEY_NOT_FOUND: [404, 'key not found'],
  VERSION_MISMATCH: [400, 'the record does not have the expected version; nothing was written'],
});
