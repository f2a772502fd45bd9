export { GraphModule } from './graph.module.js';
export { type BlastCount, type BlastCounter, BlastCounts } from './blast-counts.service.js';
