export { Configurations } from './configurations.service.js';
export { ConfigurationsModule } from './configurations.module.js';
