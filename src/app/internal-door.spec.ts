import { type INestApplicationContext, Logger } from '@nestjs/common';
import { loadConfig } from '../platform/config/index.js';
import { Metrics } from '../platform/metrics/index.js';
import { InternalDoor } from './internal-door.js';
import { Lifecycle } from './lifecycle.js';

describe('the internal port', () => {
  it('answers 500 when metrics cannot be collected, and the process goes on', async () => {
    Logger.overrideLogger(false);
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      SERVICE_INTERNAL_PORT: '0',
      DB_HOST: 'x',
      DB_USER: 'x',
      DB_PASS: 'x',
      DB_NAME: 'x',
    });
    const registry = { contentType: 'text/plain', metrics: () => Promise.reject(new Error('no')) };
    const app = { get: (token: unknown) => (token === Metrics ? { registry } : {}) };
    const lifecycle = new Lifecycle();
    const door = await InternalDoor.listen(config);
    door.open(app as unknown as INestApplicationContext, lifecycle);
    try {
      const answer = await fetch(`http://127.0.0.1:${door.port}/metrics`);
      expect([answer.status, await answer.json()]).toEqual([
        500,
        { id: 'INTERNAL_ERROR', data: 'could not collect metrics' },
      ]);
    } finally {
      await lifecycle.stop();
    }
  });
});
