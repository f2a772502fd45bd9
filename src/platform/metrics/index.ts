export { Metrics } from './metrics.js';
export { MetricsModule } from './metrics.module.js';
export { requestRecord } from './request-record.js';
