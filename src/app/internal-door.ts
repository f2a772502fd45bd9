import type { RequestListener } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../platform/config/index.js';
import { databaseAnswers } from '../platform/database/index.js';
import { Metrics } from '../platform/metrics/index.js';
import { FrontDoor } from './front-door.js';
import { Lifecycle } from './lifecycle.js';

/** The port for the operator only: `/metrics` and the probes, which are all that a worker serves. */
export class InternalDoor {
  private constructor(
    private readonly door: FrontDoor,
    readonly port: number,
  ) {}

  static async listen(config: Config): Promise<InternalDoor> {
    const door = new FrontDoor();
    const port = await door.listen(config.get('SERVICE_INTERNAL_PORT'), 'SERVICE_INTERNAL_PORT');
    return new InternalDoor(door, port);
  }

  open(app: INestApplicationContext, lifecycle: Lifecycle): void {
    lifecycle.onStop(() => this.door.drain());
    const { registry } = app.get(Metrics);
    const listener: RequestListener = (request, response) => {
      if (request.url?.split('?', 1)[0] !== '/metrics') {
        response.writeHead(404, { 'Content-Type': 'application/json; charset=utf-8' });
        response.end(JSON.stringify({ id: 'NOT_FOUND', data: 'there is nothing here' }));
        return;
      }
      void registry.metrics().then((text) => {
        response.writeHead(200, { 'Content-Type': registry.contentType });
        response.end(text);
      });
    };
    this.door.open({ listener, ready: () => databaseAnswers(app.get(DataSource)) });
  }
}
