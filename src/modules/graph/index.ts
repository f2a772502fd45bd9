export { GraphModule } from './graph.module.js';
export { type BlastCount, type BlastCounter, BlastCounts } from './reach/blast-counts.service.js';
