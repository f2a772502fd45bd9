// The least that a Nest route can do with a delivery: read its bytes and compute their HMAC.
const { createHmac, timingSafeEqual } = require('node:crypto');
require('reflect-metadata');
const { Controller, Module, Post, Req } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');

const [, , port, secret] = process.argv;

class BareController {
  async receive(request) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const expected = createHmac('sha256', secret).update(Buffer.concat(parts)).digest();
    const sent = Buffer.from(request.headers['x-hub-signature-256'].slice('sha256='.length), 'hex');
    return { isValid: timingSafeEqual(sent, expected) };
  }
}
Controller('events')(BareController);
Post()(
  BareController.prototype,
  'receive',
  Object.getOwnPropertyDescriptor(BareController.prototype, 'receive'),
);
Req()(BareController.prototype, 'receive', 0);

class BareModule {}
Module({ controllers: [BareController] })(BareModule);

void NestFactory.create(BareModule, { bodyParser: false, logger: false }).then((app) =>
  app.listen(Number(port), '127.0.0.1', () => process.send?.('listening')),
);
