import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

/** A file that another process writes and this one reads meanwhile. */
export class FollowedFile {
  readonly descriptor: number;
  private readonly reader: number;
  private readonly decoder = new StringDecoder('utf8');
  private position = 0;
  private text = '';

  constructor(directory: string, name: string) {
    const path = join(directory, name);
    this.descriptor = openSync(path, 'w', 0o600);
    this.reader = openSync(path, 'r');
  }

  /** What came since the last time. */
  next(): string {
    const length = fstatSync(this.reader).size - this.position;
    if (length <= 0) return '';
    const bytes = Buffer.alloc(length);
    const count = readSync(this.reader, bytes, 0, length, this.position);
    this.position += count;
    const text = this.decoder.write(bytes.subarray(0, count));
    this.text += text;
    return text;
  }

  /** Everything; nothing can be read afterwards. */
  end(): string {
    closeSync(this.descriptor);
    closeSync(this.reader);
    return this.text;
  }
}
