export { Events, HandlesEvent } from './events.js';
