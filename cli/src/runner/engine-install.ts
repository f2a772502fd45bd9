import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.js';
import { cacheDirectory } from '../run/cache-directory.js';
import type { Engine } from './protocol.js';
import { zipEntry } from './zip-entry.rules.js';

const DOWNLOAD_TIMEOUT_MS = 300_000;
const MAX_REDIRECTS = 5;
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
  ia32: '386',
  arm: 'arm',
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The program of an engine in exactly its version, from `INFRASTATE_ENGINE_MIRROR`, laid out as releases.hashicorp.com is:
 * `<mirror>/<name>/<version>/<name>_<version>_<os>_<arch>.zip` and `…_SHA256SUMS`. It is kept for other runs.
 */
export async function installEngine(
  { name, version }: { name: Engine['name']; version: string },
  mirror: string,
  env: Environment,
): Promise<string> {
  const program = join(engineCache(env), name, version, name);
  if (existsSync(program)) return program;
  const base = `${mirror.replace(/\/+$/, '')}/${name}/${version}`;
  const archive = `${name}_${version}_${platformOf()}.zip`;
  const sums = (await download(`${base}/${name}_${version}_SHA256SUMS`)).toString();
  const bytes = await download(`${base}/${archive}`);
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (checksumIn(sums, archive) !== digest)
    throw new Failure('ENGINE_CHECKSUM', `${archive} of the mirror does not have its checksum`);
  place(program, zipEntry(bytes, name));
  return program;
}

/** Shared by the runs of a machine. */
function engineCache(env: Environment): string {
  return env['INFRASTATE_ENGINE_CACHE'] || cacheDirectory(env, 'engines');
}

export function checksumIn(sums: string, file: string): string | undefined {
  for (const line of sums.split('\n')) {
    const [digest = '', name = ''] = line.trim().split(/\s+\*?/);
    if (name === file && /^[0-9a-f]{64}$/i.test(digest)) return digest.toLowerCase();
  }
  return undefined;
}

/** There at once and whole: other runs look at any moment, and may place the same file. */
function place(program: string, bytes: Buffer): void {
  mkdirSync(dirname(program), { recursive: true, mode: 0o700 });
  const draft = `${program}.${randomUUID()}`;
  try {
    writeFileSync(draft, bytes, { mode: 0o700 });
    renameSync(draft, program);
  } finally {
    rmSync(draft, { force: true });
  }
}

function platformOf(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  return `${system}_${ARCHITECTURES[process.arch] ?? process.arch}`;
}

/** The client's fetch follows no redirects, and mirrors send to where their files lie. */
async function download(url: string): Promise<Buffer> {
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  let address = new URL(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    try {
      const response = await fetch(address, { signal, redirect: 'manual' });
      const target = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || target === null)
        return await bytesOf(url, response);
      await response.body?.cancel();
      address = redirected(address, target);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure('ENGINE_DOWNLOAD', `${url} could not be downloaded: ${String(error)}`);
    }
  }
  throw new Failure('ENGINE_DOWNLOAD', `${url} was redirected more than ${MAX_REDIRECTS} times`);
}

async function bytesOf(
  url: string,
  { ok, status, body }: Pick<Response, 'ok' | 'status' | 'body'>,
): Promise<Buffer> {
  if (!ok) {
    await body?.cancel();
    throw new Failure('ENGINE_DOWNLOAD', `${url} answered ${status}`);
  }
  const parts: Uint8Array[] = [];
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) parts.push(part);
  return Buffer.concat(parts);
}

function redirected(from: URL, target: string): URL {
  const to = new URL(target, from);
  if (from.protocol === 'https:' && to.protocol !== 'https:')
    throw new Failure('ENGINE_DOWNLOAD', `${from.href} redirects to an address without encryption`);
  return to;
}
