import 'reflect-metadata';
import { prepareDatabase } from './app/database-preparation.js';
import { runProcess } from './app/lifecycle.js';
import { loadConfig } from './platform/config/index.js';

/** One-off: brings the database up to date and exits, so that replicas find nothing left to do. */
runProcess(async (lifecycle) => {
  await prepareDatabase(loadConfig(process.env), lifecycle.stopping);
  process.exit(0);
});
