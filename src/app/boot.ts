import type { RequestListener } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { Config, Role } from '../platform/config/index.js';
import { databaseAnswers } from '../platform/database/index.js';
import { AppModule } from './app.module.js';
import { prepareDatabase } from './database-preparation.js';
import { FrontDoor } from './front-door.js';
import { configureHttp } from './http-pipeline.js';
import { Lifecycle } from './lifecycle.js';

/** Puts the application behind a door that already listens: migrate, build, open. */
export async function serveApi(
  lifecycle: Lifecycle,
  config: Config,
  role: Exclude<Role, 'worker'>,
  door: FrontDoor,
): Promise<void> {
  await prepareDatabase(config, lifecycle.stopping);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(config, { role }), {
    bodyParser: false,
    abortOnError: false,
  });
  lifecycle.onStop(() => app.close());
  configureHttp(app, config);
  await app.init();
  // Registered last, so that requests in flight end before the application they run in does.
  lifecycle.onStop(() => door.drain());
  door.open({
    listener: app.getHttpAdapter().getInstance() as RequestListener,
    ready: () => databaseAnswers(app.get(DataSource)),
  });
}

/** The API process: listens at once, becomes ready when the database is. */
export async function startApi(lifecycle: Lifecycle, config: Config): Promise<void> {
  const door = new FrontDoor();
  await door.listen(config.get('SERVICE_PORT'), 'SERVICE_PORT');
  await serveApi(lifecycle, config, 'api', door);
}

/** The worker process: the same modules without routes. */
export async function startWorker(lifecycle: Lifecycle, config: Config): Promise<void> {
  const door = new FrontDoor();
  await door.listen(config.get('SERVICE_INTERNAL_PORT'), 'SERVICE_INTERNAL_PORT');
  await prepareDatabase(config, lifecycle.stopping);
  const app = await NestFactory.createApplicationContext(AppModule.of(config, { role: 'worker' }), {
    abortOnError: false,
  });
  lifecycle.onStop(() => app.close());
  lifecycle.onStop(() => door.drain());
  door.open({ listener: nothingHere, ready: () => databaseAnswers(app.get(DataSource)) });
}

const nothingHere: RequestListener = (_request, response) => {
  response.writeHead(404, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ id: 'NOT_FOUND', data: 'there is nothing here' }));
};
