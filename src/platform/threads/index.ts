export { FairSlots, NoSlot, type SlotRules } from './fair-slots.js';
export { type LaneJob, type LaneOptions, type LostReason, ThreadLane } from './thread-lane.js';
export { SMALL_TEXT, TextThreads } from './text-threads.js';
export { defineThreadWork } from './thread-work.js';
