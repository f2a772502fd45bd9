export { PinoLogger, useStructuredLogs } from './pino-logger.js';
