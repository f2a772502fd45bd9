import './platform/start/quick-start.js';
import 'reflect-metadata';
import { startWorker } from './app/boot.js';
import { runProcess } from './app/lifecycle.js';
import { loadConfig } from './platform/config/index.js';

/** A worker: consumes the queues that SERVICE_QUEUES names and serves its health on SERVICE_INTERNAL_PORT. */
runProcess(async (lifecycle) => startWorker(lifecycle, loadConfig(process.env)));
