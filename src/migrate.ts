import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { prepareDatabase } from './app/database-preparation.js';
import { runProcess } from './app/lifecycle.js';
import { loadConfig } from './platform/config/index.js';
import { useStructuredLogs } from './platform/logging/index.js';

/** One-off: brings the database up to date and exits, so that replicas find nothing left to do. */
runProcess(async (lifecycle) => {
  const config = loadConfig(process.env);
  useStructuredLogs(config.get('SERVICE_LOG_LEVEL'));
  const applied = await prepareDatabase(config, lifecycle.stopping);
  if (applied.length === 0) new Logger('Migrations').log({ msg: 'nothing to migrate' });
  process.exit(0);
});
