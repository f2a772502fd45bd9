import { defineErrors } from '../errors/index.js';

export const cryptoErrors = defineErrors({
  ENCRYPTION_NOT_CONFIGURED: [
    503,
    'the service cannot store secrets without encryption keys; set SERVICE_ENCRYPTION_KEYS and restart it',
  ],
});
