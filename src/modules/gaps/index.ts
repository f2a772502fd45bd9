export { GapsModule } from './gaps.module.js';
