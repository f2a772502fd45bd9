import { defineErrors } from '../../platform/errors/index.js';

export const actuatorErrors = defineErrors({
  BUNDLE_NOT_FOUND: [404, 'no bundle of the transaction was generated'],
  BUNDLE_REPLACED: [409, 'the bundle was generated again; begin with its first page'],
  BUNDLE_NEEDS_ONE_STATE: [409, 'a runner plans one state, and the transaction has none or several'],
});
