import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateRawSync } from 'node:zlib';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** A zip archive with deflated files, as releases have them. */
export function zipOf(files: Record<string, string>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const bytes = deflateRawSync(Buffer.from(text));
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(bytes.length, 18);
    local.writeUInt32LE(text.length, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(bytes.length, 20);
    entry.writeUInt32LE(text.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    locals.push(local, Buffer.from(name), bytes);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + bytes.length;
  }
  const middle = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(middle.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, middle, end]);
}

/** A mirror on this machine with one release of one engine, as `INFRASTATE_ENGINE_MIRROR` names it. */
export class EngineMirror {
  readonly requests: string[] = [];
  readonly archiveName: string;
  /** what is served, and may be changed */
  archive: Buffer;
  sums: string;
  isRedirecting = false;
  private readonly server: Server;

  private constructor(
    private readonly engine: { name: string; version: string },
    script: string,
  ) {
    this.archiveName = `${engine.name}_${engine.version}_linux_${ARCHITECTURE}.zip`;
    this.archive = zipOf({ 'LICENSE.txt': 'free', [engine.name]: script });
    this.sums = '';
    this.sign();
    this.server = createServer((request, response) => {
      this.requests.push(request.url ?? '');
      // As mirrors do that keep their files elsewhere.
      if (this.isRedirecting && request.url?.startsWith('/mirror/'))
        response.writeHead(302, { location: request.url.replace('/mirror/', '/elsewhere/') }).end();
      else if (request.url?.endsWith(`${engine.name}_${engine.version}_SHA256SUMS`)) response.end(this.sums);
      else if (request.url?.endsWith(this.archiveName)) response.end(this.archive);
      else response.writeHead(404).end();
    });
  }

  static async start(engine: { name: string; version: string }, script: string): Promise<EngineMirror> {
    const mirror = new EngineMirror(engine, script);
    await new Promise<void>((listening) => mirror.server.listen(0, '127.0.0.1', listening));
    return mirror;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mirror/`;
  }

  /** The requests of one download. */
  get oneDownload(): string[] {
    const { name, version } = this.engine;
    const base = `/mirror/${name}/${version}`;
    return [`${base}/${name}_${version}_SHA256SUMS`, `${base}/${this.archiveName}`];
  }

  /** Writes the checksum of what is served now. */
  sign(): void {
    const digest = createHash('sha256').update(this.archive).digest('hex');
    this.sums = `${'0'.repeat(64)}  other.zip\n${digest}  ${this.archiveName}\n`;
  }

  stop(): void {
    this.server.close();
  }
}
