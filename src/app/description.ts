import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeApi } from '../modules/server/index.js';
import { loadConfig } from '../platform/config/index.js';
import { AppModule } from './app.module.js';
import { prefixRoutes } from './http-pipeline.js';

const NOWHERE = {
  SERVICE_UI_BASE: 'http://localhost',
  DB_HOST: 'none',
  DB_USER: 'none',
  DB_PASS: 'none',
  DB_NAME: 'none',
};

/** The API's description without a database: nothing is instantiated, only decorators are read. */
export async function describeOffline(): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.of(loadConfig(NOWHERE), { role: 'api' }),
    {
      preview: true,
      abortOnError: false,
      logger: ['error'],
    },
  );
  prefixRoutes(app);
  return describeApi(app);
}
