import { TemporaryFile } from '../../platform/files/index.js';
import { ClientLayoutFinder } from './boundaries.js';

const IN_MEMORY = 1024 * 1024;
const HEAD = 16;

/**
 * A document as it comes, kept for a second reading by nesting when it begins in the client's layout and may leave it
 * further on: 1 MiB of it in memory, the rest in a temporary file.
 */
export class DocumentCopy {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private file: TemporaryFile | undefined;
  private promising: boolean | undefined;

  /** Passes the bytes on. */
  async *keep(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const part of bytes) {
      if (this.promising !== false) await this.hold(part);
      yield part;
    }
  }

  /** Whether there is anything to read again; to be asked once all bytes have passed. */
  get isKept(): boolean {
    return this.promising === true;
  }

  async *read(): AsyncGenerator<Buffer> {
    if (this.file) yield* this.file.stream() as AsyncIterable<Buffer>;
    yield* this.held;
  }

  async dispose(): Promise<void> {
    this.held = [];
    await this.file?.close();
    this.file = undefined;
  }

  private async hold(part: Buffer): Promise<void> {
    this.held.push(part);
    this.heldBytes += part.length;
    if (this.promising === undefined && this.heldBytes >= HEAD) {
      this.promising = ClientLayoutFinder.recognises(Buffer.concat(this.held));
      if (!this.promising) this.held = [];
    }
    if (!this.promising || this.heldBytes < IN_MEMORY) return;
    this.file ??= await TemporaryFile.create();
    await this.file.append(Buffer.concat(this.held));
    this.held = [];
    this.heldBytes = 0;
  }
}
