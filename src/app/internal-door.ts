import type { RequestListener, ServerResponse } from 'node:http';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../platform/config/index.js';
import { databaseAnswers } from '../platform/database/index.js';
import { describeFailure } from '../platform/errors/index.js';
import { Metrics } from '../platform/metrics/index.js';
import { FrontDoor } from './front-door.js';
import { Lifecycle } from './lifecycle.js';

const MAX_CONNECTIONS = 256;

/** The port for the operator only: `/metrics` and the probes, which are all that a worker serves. */
export class InternalDoor {
  private constructor(
    private readonly door: FrontDoor,
    readonly port: number,
  ) {}

  static async listen(config: Config): Promise<InternalDoor> {
    const door = new FrontDoor({ maxConnections: MAX_CONNECTIONS });
    const port = await door.listen(
      config.get('SERVICE_INTERNAL_PORT'),
      'SERVICE_INTERNAL_PORT',
      config.get('SERVICE_HOST'),
    );
    return new InternalDoor(door, port);
  }

  open(app: INestApplicationContext, lifecycle: Lifecycle): void {
    lifecycle.onStop(() => this.door.drain());
    const { registry } = app.get(Metrics);
    const listener: RequestListener = (request, response) => {
      if (request.url?.split('?', 1)[0] !== '/metrics') {
        refuse(response, 404, 'NOT_FOUND', 'not found');
        return;
      }
      void registry.metrics().then(
        (text) => answer(response, 200, registry.contentType, text),
        (error: unknown) => {
          new Logger('InternalDoor').error({ msg: 'could not collect metrics', ...describeFailure(error) });
          refuse(response, 500, 'INTERNAL_ERROR', 'could not collect metrics');
        },
      );
    };
    this.door.open({ listener, ready: () => databaseAnswers(app.get(DataSource)) });
  }
}

function answer(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'Content-Type': type });
  response.end(text);
}

function refuse(response: ServerResponse, status: number, id: string, data: string): void {
  answer(response, status, 'application/json; charset=utf-8', JSON.stringify({ id, data }));
}
