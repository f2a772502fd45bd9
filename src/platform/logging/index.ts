export { PinoLogger } from './pino-logger.js';
