export { ActuatorModule } from './actuator.module.js';
