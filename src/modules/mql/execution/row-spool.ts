import type { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { TemporaryFile } from '../../../platform/files/index.js';

const IN_MEMORY = 256 * 1024;

/**
 * Rows of one answer as the text of a JSON array: 256 KiB of it in memory, the rest in a temporary file, so that the
 * database is done with a query before its answer is sent, whatever its size and however slow its reader.
 */
export class RowSpool {
  /** bytes of the whole text, once it is complete */
  size = 0;
  private rows = 0;
  private held: string[] = [];
  private heldLength = 0;
  private file: TemporaryFile | undefined;

  async add(row: string): Promise<void> {
    this.hold(`${this.rows++ === 0 ? '[' : ','}${row}`);
    if (this.heldLength >= IN_MEMORY) await this.flush();
  }

  /** Nothing is added afterwards. */
  async complete(): Promise<void> {
    this.hold(this.rows === 0 ? '[]' : ']');
    if (this.file) await this.flush();
    else this.size = Buffer.byteLength(this.held.join(''));
  }

  /** Writes the text to `target` and ends it, as fast as it is read; done once. */
  async sendTo(target: Writable): Promise<void> {
    if (this.file) return pipeline(this.file.stream(), target);
    target.end(this.held.join(''));
    return finished(target, { readable: false });
  }

  async dispose(): Promise<void> {
    this.held = [];
    await this.file?.close();
    this.file = undefined;
  }

  private hold(text: string): void {
    this.held.push(text);
    this.heldLength += text.length;
  }

  private async flush(): Promise<void> {
    this.file ??= await TemporaryFile.create();
    const bytes = Buffer.from(this.held.join(''));
    this.held = [];
    this.heldLength = 0;
    await this.file.append(bytes);
    this.size += bytes.length;
  }
}
