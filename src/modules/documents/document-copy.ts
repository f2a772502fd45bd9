import { TemporaryFile } from '../../platform/files/index.js';
import { ClientLayoutFinder } from './boundaries.js';

const IN_MEMORY = 1024 * 1024;
/** What is held of a document that is not expected to be read again. */
const MOST_UNEXPECTED = 16 * 1024 * 1024;
/** Bytes that wait to be written while the document is read on. */
const MOST_WAITING = 8 * 1024 * 1024;
const HEAD = 16;

/**
 * A document as it comes, kept for a second reading by nesting when it begins in the client's layout and may leave it
 * further on: 1 MiB of it in memory, the rest in a temporary file. `isExpected` false: 16 MiB in memory and no more, for
 * writing hundreds of megabytes costs as much as reading them.
 */
export class DocumentCopy {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private file: TemporaryFile | undefined;
  private promising: boolean | undefined;
  private dropped = false;
  private waiting = 0;
  private written: Promise<void> = Promise.resolve();

  constructor(private readonly isExpected: boolean) {}

  /** Passes the bytes on. */
  async *writeBytes(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const part of bytes) {
      if (this.promising !== false) await this.hold(part);
      yield part;
    }
  }

  /** Whether there would have been something to read again. */
  get isDropped(): boolean {
    return this.dropped;
  }

  /** Whether there is anything to read again; to be asked once all bytes have passed. */
  get isKept(): boolean {
    return this.promising === true;
  }

  async *read(): AsyncGenerator<Buffer> {
    await this.written;
    if (this.file) yield* this.file.stream() as AsyncIterable<Buffer>;
    yield* this.held;
  }

  async dispose(): Promise<void> {
    this.held = [];
    await this.written.catch(() => undefined);
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
    if (!this.isExpected) {
      if (this.heldBytes > MOST_UNEXPECTED) this.drop();
      return;
    }
    this.file ??= await TemporaryFile.create();
    await this.write(this.file);
  }

  private drop(): void {
    this.promising = false;
    this.dropped = true;
    this.held = [];
  }

  /** The document is read on meanwhile, unless the disk is slower than that. */
  private async write(file: TemporaryFile): Promise<void> {
    const [parts, bytes] = [this.held, this.heldBytes];
    this.held = [];
    this.heldBytes = 0;
    this.waiting += bytes;
    this.written = this.written.then(async () => {
      await file.appendAll(parts);
      this.waiting -= bytes;
    });
    this.written.catch(() => undefined);
    if (this.waiting > MOST_WAITING) await this.written;
  }
}
