import './platform/start/quick-start.js';
import 'reflect-metadata';
import { startApi } from './app/boot.js';
import { runProcess } from './app/lifecycle.js';
import { loadConfig } from './platform/config/index.js';

/** The API: any number of replicas behind a load balancer. */
runProcess(async (lifecycle) => startApi(lifecycle, loadConfig(process.env)));
