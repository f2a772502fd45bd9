import './platform/start/quick-start.js';
import 'reflect-metadata';
import { Lifecycle, runProcess } from './app/lifecycle.js';
import { startLocal } from './app/local-start.js';

/** `npm start`: an embedded PostgreSQL, the API and the queue consumers in one process. */
runProcess((lifecycle: Lifecycle) => startLocal(lifecycle, process.env));
