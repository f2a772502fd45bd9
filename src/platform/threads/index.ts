export { type LaneJob, type LaneOptions, type LostReason, ThreadLane } from './thread-lane.js';
