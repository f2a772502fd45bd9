import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './service.js';

export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** The shipped configuration before one service, or several replicas of it. */
export class Nginx {
  private constructor(
    readonly url: string,
    private readonly process: ChildProcess,
    private readonly directory: string,
  ) {}

  /** @param tellsPort as shipped; else as a proxy that passes the address only */
  static async start(
    services: string | readonly string[],
    { tellsPort }: { tellsPort: boolean },
  ): Promise<Nginx> {
    const directory = mkdtempSync(join(tmpdir(), 'nginx-test-'));
    const port = await freePort();
    const servers = [services].flat().map((service) => `    server ${new URL(service).host};\n`);
    const shipped = readFileSync(join(process.cwd(), 'deploy/nginx.conf'), 'utf8');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${directory}/${name};`,
    );
    const configuration = shipped
      .replace(/^ *resolver .*\n/m, `  ${paths.join(' ')} access_log off;\n`)
      .replace(/^ *server api:.*\n/m, servers.join(''))
      .replace(/^ *listen 8080;/m, `listen 127.0.0.1:${port};`)
      .replace(/^.*proxy_set_header Forwarded .*\n/m, (line) => (tellsPort ? line : ''));
    const file = join(directory, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; pid ${directory}/pid; error_log ${directory}/error.log;\n${configuration}`,
    );
    const child = spawn('nginx', ['-c', file, '-p', directory], { stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    for (let attempt = 0; attempt < 400; attempt++) {
      const isUp = await fetch(`${url}/api/v1/health/live`).then(
        () => true,
        () => false,
      );
      if (isUp) return new Nginx(url, child, directory);
      await delay(25);
    }
    child.kill();
    throw new Error(`nginx did not start: ${readFileSync(join(directory, 'error.log'), 'utf8')}`);
  }

  async stop(): Promise<void> {
    this.process.kill();
    if (this.process.exitCode === null) await once(this.process, 'exit');
    rmSync(this.directory, { recursive: true, force: true });
  }
}
