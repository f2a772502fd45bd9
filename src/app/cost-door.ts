import { createServer, type Server, type ServerResponse } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { type BookStatus, PriceBooks } from '../modules/costs/index.js';
import type { Config } from '../platform/config/index.js';
import { portError } from './front-door.js';
import type { Lifecycle } from './lifecycle.js';

const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 10_000;

/** The port of cost estimation: `/readyz` says whether a price book is loaded. Only with SERVICE_COST_ENABLED. */
export class CostDoor {
  private readonly server: Server;
  private readStatus: () => BookStatus = () => ({});

  private constructor() {
    this.server = createServer(
      { connectionsCheckingInterval: REQUEST_TIMEOUT_MS / 2 },
      (request, response) => {
        request.resume();
        if (request.url?.split('?', 1)[0] !== '/readyz') {
          answer(response, 404, { id: 'NOT_FOUND', data: 'there is nothing here' });
          return;
        }
        const status = this.readStatus();
        const isLoaded = status.version !== undefined;
        answer(response, isLoaded ? 200 : 503, { status: isLoaded ? 'ready' : 'loading', ...status });
      },
    );
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.headersTimeout = REQUEST_TIMEOUT_MS;
    this.server.requestTimeout = REQUEST_TIMEOUT_MS;
  }

  /** The port it listens on; undefined while cost estimation is off. */
  static async start(
    app: INestApplicationContext,
    config: Config,
    lifecycle: Lifecycle,
  ): Promise<number | undefined> {
    if (!config.get('SERVICE_COST_ENABLED')) return undefined;
    const door = new CostDoor();
    const books = app.get(PriceBooks);
    door.readStatus = () => books.status;
    const port = await door.listen(config);
    lifecycle.onStop(() => {
      door.server.close();
      door.server.closeAllConnections();
    });
    return port;
  }

  private listen(config: Config): Promise<number> {
    const port = config.get('SERVICE_COST_PORT');
    const host = config.get('SERVICE_HOST');
    return new Promise((resolve, reject) => {
      this.server.once('error', (error: NodeJS.ErrnoException) =>
        reject(portError(error, port, 'SERVICE_COST_PORT', host)),
      );
      this.server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        const address = this.server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
