import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './service.js';

const BINARY = join(__dirname, '..', 'stores', 'node_modules', 'azurite', 'dist', 'src', 'blob', 'main.js');

/** Account and key that Azurite documents for everybody. */
export const AZURITE_ACCOUNT = 'devstoreaccount1';
export const AZURITE_KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** Whether `npm ci` was run in test/stores. */
export const hasAzurite = existsSync(BINARY);

/** A real server of Azure's blob protocol. */
export class Azurite {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** @param certificate files for HTTPS with bearer tokens, whose issuer, audience and lifetime are checked */
  static async start(folder: string, certificate?: { cert: string; key: string }): Promise<Azurite> {
    const port = await freePort();
    const child = spawn(
      process.execPath,
      [
        BINARY,
        ...['--blobHost', '127.0.0.1', '--blobPort', String(port), '--location', folder],
        ...['--silent', '--disableTelemetry', '--skipApiVersionCheck'],
        ...(certificate === undefined
          ? []
          : ['--oauth', 'basic', '--cert', certificate.cert, '--key', certificate.key]),
      ],
      { stdio: 'ignore' },
    );
    const url = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
    for (const begun = Date.now(); Date.now() - begun < 60_000;) {
      const socket = connect(port, '127.0.0.1');
      const answers = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (answers) return new Azurite(child, url);
      await delay(50);
    }
    child.kill('SIGKILL');
    throw new Error('Azurite did not start');
  }

  /** @param signal SIGTERM lets it write down what it holds */
  async stop(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}
