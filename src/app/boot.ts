import type { RequestListener } from 'node:http';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { waitingPage } from '../modules/console/index.js';
import { OpenApiDocument } from '../modules/server/index.js';
import { Config, Role, unknownVariables } from '../platform/config/index.js';
import { databaseAnswers } from '../platform/database/index.js';
import { useStructuredLogs } from '../platform/logging/index.js';
import { JobConsumers } from '../platform/queue/index.js';
import { AppModule } from './app.module.js';
import { CostDoor } from './cost-door.js';
import { prepareDatabase } from './database-preparation.js';
import { FrontDoor } from './front-door.js';
import { answerUnknownPaths, configureHttp } from './http-pipeline.js';
import { InternalDoor } from './internal-door.js';
import { Lifecycle } from './lifecycle.js';
import { prepareQueues } from './queue-preparation.js';

/** Longer than the queues wait for a job in hand: a job that goes on keeps a connection of the database too. */
const CLOSE_LIMIT_MS = 27_000;

/** The API process: listens at once, becomes ready when the database and the queues' Redis are. */
export async function startApi(lifecycle: Lifecycle, config: Config): Promise<void> {
  const door = new FrontDoor({
    maxConnections: config.get('SERVICE_MAX_CONNECTIONS'),
    waitingPage: waitingPage(config),
  });
  await door.listen(config.get('SERVICE_PORT'), 'SERVICE_PORT', config.get('SERVICE_HOST'));
  await serveApi(lifecycle, config, 'api', door);
}

/** Ports besides that of the API. */
export interface OperatorPorts {
  internal: number;
  /** of `/readyz`; only with cost estimation */
  cost: number | undefined;
}

/** Puts the application behind a door that already listens: migrate, build, open. */
export async function serveApi(
  lifecycle: Lifecycle,
  config: Config,
  role: Exclude<Role, 'worker'>,
  door: FrontDoor,
): Promise<OperatorPorts> {
  useStructuredLogs(config.get('SERVICE_LOG_LEVEL'));
  warnOfUnknownVariables();
  const internal = await InternalDoor.listen(config);
  await prepareDatabase(config, lifecycle.stopping);
  await prepareQueues(config, lifecycle.stopping);
  const app = await createApi(config, role);
  const costPort = await startWorking(app, { lifecycle, config, internal });
  // Registered last, so that requests in flight end before the application they run in does.
  lifecycle.onStop(() => door.drain());
  door.open({
    listener: app.getHttpAdapter().getInstance() as RequestListener,
    ready: () => databaseAnswers(app.get(DataSource)),
  });
  new Logger('Boot').log({
    msg: 'ready',
    role,
    port: config.get('SERVICE_PORT'),
    internalPort: internal.port,
    costPort,
  });
  return { internal: internal.port, cost: costPort };
}

/** The application with every route, ready for requests; it listens on no port and works on no queue yet. */
export async function createApi(
  config: Config,
  role: Exclude<Role, 'worker'>,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(config, { role }), {
    bodyParser: false,
    abortOnError: false,
  });
  configureHttp(app, config);
  app.get(OpenApiDocument).describe(app);
  await app.init();
  answerUnknownPaths(app, config);
  return app;
}

/** The worker process: the same modules without routes. */
export async function startWorker(lifecycle: Lifecycle, config: Config): Promise<void> {
  useStructuredLogs(config.get('SERVICE_LOG_LEVEL'));
  warnOfUnknownVariables();
  const internal = await InternalDoor.listen(config);
  await prepareDatabase(config, lifecycle.stopping);
  await prepareQueues(config, lifecycle.stopping);
  const app = await NestFactory.createApplicationContext(AppModule.of(config, { role: 'worker' }), {
    abortOnError: false,
  });
  const costPort = await startWorking(app, { lifecycle, config, internal });
  new Logger('Boot').log({ msg: 'ready', role: 'worker', internalPort: internal.port, costPort });
}

async function startWorking(
  app: INestApplicationContext,
  { lifecycle, config, internal }: { lifecycle: Lifecycle; config: Config; internal: InternalDoor },
): Promise<number | undefined> {
  lifecycle.onStop(() => app.close(), CLOSE_LIMIT_MS);
  const costPort = await CostDoor.start(app, config, lifecycle);
  await app.get(JobConsumers).start();
  internal.open(app, lifecycle);
  return costPort;
}

function warnOfUnknownVariables(): void {
  for (const variable of unknownVariables(process.env))
    new Logger('Configuration').warn({ msg: 'unknown variable ignored', variable });
}
