import { defineErrors } from '../errors/index.js';

export const cryptoErrors = defineErrors({
  ENCRYPTION_NOT_CONFIGURED: [
    503,
    'this stores a secret and needs encryption keys; set SERVICE_ENCRYPTION_KEYS and restart the service',
  ],
});
