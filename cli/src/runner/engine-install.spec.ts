import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { findEngine } from './engine.js';

const VERSION = '9.9.9';
const SCRIPT = `#!/bin/sh\necho '{"terraform_version":"${VERSION}"}'\n`;
const ARCHIVE = `terraform_${VERSION}_linux_${process.arch === 'arm64' ? 'arm64' : 'amd64'}.zip`;

/** A zip archive with two deflated files, as releases have them. */
function zipOf(files: Record<string, string>): Buffer {
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

describe('An engine from a mirror', () => {
  let server: Server;
  let mirror: string;
  let cache: string;
  let archive: Buffer;
  let sums: string;
  let requests: string[];

  beforeEach(async () => {
    cache = mkdtempSync(join(tmpdir(), 'engines-'));
    archive = zipOf({ 'LICENSE.txt': 'free', terraform: SCRIPT });
    sums = `${'0'.repeat(64)}  other.zip\n${createHash('sha256').update(archive).digest('hex')}  ${ARCHIVE}\n`;
    requests = [];
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      if (request.url?.endsWith('_SHA256SUMS')) response.end(sums);
      else if (request.url?.endsWith(ARCHIVE)) response.end(archive);
      else response.writeHead(404).end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mirror/`;
  });
  afterEach(() => {
    server.close();
    rmSync(cache, { recursive: true, force: true });
  });

  const env = (): Record<string, string> => ({
    PATH: process.env['PATH'] ?? '',
    INFRASTATE_ENGINE_MIRROR: mirror,
    INFRASTATE_ENGINE_CACHE: cache,
  });
  const engine = { name: 'terraform' as const, version: VERSION };

  it('is downloaded once for runs at the same time, and kept for later ones', async () => {
    const found = await Promise.all([1, 2, 3].map(() => findEngine(engine, env(), cache)));
    const [program = ''] = found;
    expect(new Set(found)).toEqual(new Set([join(cache, 'terraform', VERSION, 'terraform')]));
    expect(execFileSync(program, { encoding: 'utf8' })).toContain(VERSION);
    expect(statSync(program).mode & 0o777).toBe(0o700);
    expect(requests).toEqual([
      `/mirror/terraform/${VERSION}/terraform_${VERSION}_SHA256SUMS`,
      `/mirror/terraform/${VERSION}/${ARCHIVE}`,
    ]);
    expect(await findEngine(engine, env(), cache)).toBe(program);
    expect(requests).toHaveLength(2);
  });

  it('is refused with another checksum, and nothing of it is kept', async () => {
    archive = zipOf({ terraform: `${SCRIPT}# more\n` });
    await expect(findEngine(engine, env(), cache)).rejects.toThrow('does not have its checksum');
    expect(readdirSync(cache)).toEqual([]);
  });

  it('is refused when the list of checksums does not name it', async () => {
    sums = sums.replace(ARCHIVE, 'another.zip');
    await expect(findEngine(engine, env(), cache)).rejects.toThrow('does not have its checksum');
  });

  it('is refused when the archive is damaged or has no such program', async () => {
    for (const damaged of [Buffer.from('no zip'), zipOf({ tofu: SCRIPT })]) {
      archive = damaged;
      sums = `${createHash('sha256').update(archive).digest('hex')}  ${ARCHIVE}\n`;
      await expect(findEngine(engine, env(), cache)).rejects.toThrow(/archive/);
    }
  });

  it('says what to do when there is no mirror', async () => {
    const { INFRASTATE_ENGINE_MIRROR: _, ...without } = env();
    await expect(findEngine(engine, without, cache)).rejects.toThrow(`terraform ${VERSION} is asked for`);
  });

  it('is not looked for when the one on the PATH has the version', async () => {
    const text = execFileSync('terraform', ['version', '-json'], { encoding: 'utf8' });
    const { terraform_version: version } = JSON.parse(text) as { terraform_version: string };
    expect(await findEngine({ name: 'terraform', version }, env(), cache)).toBe('terraform');
    expect(requests).toEqual([]);
  });
});
