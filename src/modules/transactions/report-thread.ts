import { parentPort } from 'node:worker_threads';
import { reported, type ReportMessage } from './report-contents.rules.js';

/** Entry of the thread that takes large reports apart: an answer for each message. */
parentPort?.on('message', (message: ReportMessage) => parentPort?.postMessage(reported(message)));
