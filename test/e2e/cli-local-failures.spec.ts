import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CliHome } from '../support/cli.js';

/** Takes every call and never answers. */
async function silentService(): Promise<{ server: Server; address: string }> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('What is wrong with the directory', () => {
  it.each([
    ['a configuration that is none', 'resource "t" {\n', 'CONFIGURATION_INVALID'],
    ['no state that it belongs to', 'resource "t" "n" {}\n', 'NO_STATE'],
  ])('is told without an answer of the service, and the client ends: %s', async (_what, text, id) => {
    const { server, address } = await silentService();
    const home = new CliHome({ INFRASTATE_API_BASE: address, INFRASTATE_API_KEY: 'key' });
    writeFileSync(join(home.directory, 'main.tf'), text);
    const { code, stderr } = await home.run(['plan']);
    expect(code).toBe(1);
    expect(stderr).toContain(id);
    home.remove();
    server.closeAllConnections();
    server.close();
  });
});
