// The least that a key-value store in Nest could do: the service's own lookup of the credential, then one statement.
require('reflect-metadata');
const { createHash } = require('node:crypto');
const { Body, Controller, Get, Module, Param, Put, Req } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { Pool } = require('pg');
const { PrincipalQueries } = require('../dist/modules/access/principal.queries.js');

const pool = new Pool({ max: 10 });
const principals = new PrincipalQueries({
  prepared: async ({ name, text }, values) => (await pool.query({ name, text, values })).rows,
});

class PeerController {
  async get(key, request) {
    await authenticate(request);
    const found = await pool.query({
      name: 'get',
      text: 'SELECT key, data, version FROM bench_records WHERE namespace = $1 AND key = $2',
      values: ['4711', key],
    });
    return found.rows[0];
  }

  async put(key, body, request) {
    await authenticate(request);
    const written = await pool.query({
      name: 'put',
      text: `INSERT INTO bench_records AS r (namespace, key, data, version) VALUES ($1, $2, $3, 0)
        ON CONFLICT (namespace, key) DO UPDATE SET data = $3, version = r.version + 1 RETURNING key, version`,
      values: ['4711', key, body.data],
    });
    return { ...written.rows[0], data: body.data };
  }
}
decorate(Get('record/:key'), 'get', [Param('key'), Req()]);
decorate(Put('record/:key'), 'put', [Param('key'), Body(), Req()]);
Controller()(PeerController);

async function authenticate(request) {
  const hash = createHash('sha256').update(request.headers.authorization.slice(7)).digest();
  if (!(await principals.byKeyHash(hash))) throw new Error('unknown key');
}

function decorate(route, name, parameters) {
  route(PeerController.prototype, name, Object.getOwnPropertyDescriptor(PeerController.prototype, name));
  parameters.forEach((parameter, index) => parameter(PeerController.prototype, name, index));
}

class PeerModule {}
Module({ controllers: [PeerController] })(PeerModule);

(async () => {
  await pool.query(
    'CREATE TABLE bench_records (namespace text, key text COLLATE "C", data text, version bigint, PRIMARY KEY (namespace, key))',
  );
  const app = await NestFactory.create(PeerModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  process.stdout.write(`${await app.getUrl()}\n`);
})();
