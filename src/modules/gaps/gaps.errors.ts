import { defineErrors } from '../../platform/errors/index.js';

export const gapErrors = defineErrors({
  GAPS_NOT_CONFIGURED: [
    409,
    'no cloud is configured for this provider; an administrator of the tenant must set it up',
  ],
  GAP_SCAN_FAILED: [502, 'the scan of the cloud failed; the answer of the gap analysis says why'],
  GAP_SCAN_SUPERSEDED: [409, 'the cloud settings changed while the scan was running; start the scan again'],
});
