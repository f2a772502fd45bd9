import type { Readable, Writable } from 'node:stream';

/** What a run of the program reads and writes besides files and the service. */
export interface Streams {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
}
