// Loaded into the service by the scenario of gaps: while the file BENCH_WITHOUT_CLOUD_IDS exists, a write is told to nobody
// who keeps cloud ids.
const { existsSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

// Threads have little memory and nothing to do with it.
if (isMainThread) patch();

function patch() {
  const { CloudIdsUpkeep } = require('../dist/modules/cloud-ids/cloud-ids-upkeep.job.js');
  const { schedule } = CloudIdsUpkeep.prototype;
  function scheduleUnlessOff(event) {
    if (!existsSync(process.env.BENCH_WITHOUT_CLOUD_IDS)) schedule.call(this, event);
  }
  for (const key of Reflect.getMetadataKeys(schedule))
    Reflect.defineMetadata(key, Reflect.getMetadata(key, schedule), scheduleUnlessOff);
  CloudIdsUpkeep.prototype.schedule = scheduleUnlessOff;
}
