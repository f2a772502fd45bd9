import { defineErrors } from '../../platform/errors/index.js';

export const actuatorErrors = defineErrors({
  BUNDLE_NOT_FOUND: [404, 'the transaction has no bundle'],
  BUNDLE_REPLACED: [409, 'the bundle was generated again; fetch the new one from its first page'],
  BUNDLE_NEEDS_ONE_STATE: [409, 'a runner plans exactly one state; the transaction has none or several'],
});
