// The least a server could do: a static file, and one record after the same lookup of the credential, in Nest.
require('reflect-metadata');
const { createHash } = require('node:crypto');
const { createReadStream } = require('node:fs');
const { Controller, Get, Module, Param, Req, Res } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { Pool } = require('pg');

const pool = new Pool({ max: 10 });

class PeerController {
  file(response) {
    response.set({ 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
    createReadStream(process.env.PEER_FILE).pipe(response);
  }

  async record(id, request) {
    const hash = createHash('sha256').update(request.headers.authorization.slice(7)).digest();
    const key = await pool.query(
      'SELECT k.id, u.id AS user_id FROM api_keys k JOIN users u ON u.id = k.owner_id WHERE k.token_hash = $1',
      [hash],
    );
    if (key.rows.length === 0) throw new Error('unknown key');
    return (await pool.query('SELECT * FROM states WHERE id = $1', [id])).rows[0];
  }
}
decorate(Get('file'), 'file', [Res()]);
decorate(Get('record/:id'), 'record', [Param('id'), Req()]);
Controller()(PeerController);

function decorate(route, name, parameters) {
  route(PeerController.prototype, name, Object.getOwnPropertyDescriptor(PeerController.prototype, name));
  parameters.forEach((parameter, index) => parameter(PeerController.prototype, name, index));
}

class PeerModule {}
Module({ controllers: [PeerController] })(PeerModule);

NestFactory.create(PeerModule, { logger: false }).then(async (app) => {
  await app.listen(0, '127.0.0.1');
  process.stdout.write(`${await app.getUrl()}\n`);
});
