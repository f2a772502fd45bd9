export { SecurityModule } from './security.module.js';
