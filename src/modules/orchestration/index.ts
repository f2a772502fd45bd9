export { OrchestrationModule } from './orchestration.module.js';
