/** Builds tuples of PostgreSQL's `COPY … (FORMAT binary)` (PostgreSQL documentation, COPY, "Binary Format"). */
export class CopyTupleWriter {
  private buffer: Buffer;
  private length = 0;

  constructor(capacity = 1 << 16) {
    this.buffer = Buffer.allocUnsafe(capacity);
  }

  /** Where the next tuple begins. */
  get offset(): number {
    return this.length;
  }

  /** Drops what was written since `offset` was read. */
  rewind(offset: number): void {
    this.length = offset;
  }

  begin(fields: number): void {
    this.reserve(2);
    this.length = this.buffer.writeInt16BE(fields, this.length);
  }

  null(): void {
    this.reserve(4);
    this.length = this.buffer.writeInt32BE(-1, this.length);
  }

  uuid(text: string): void {
    this.reserve(20);
    this.length = this.buffer.writeInt32BE(16, this.length);
    this.length += this.buffer.write(text.replaceAll('-', ''), this.length, 'hex');
  }

  text(value: string | undefined): void {
    if (value === undefined) return this.null();
    const size = Buffer.byteLength(value);
    this.reserve(4 + size);
    this.length = this.buffer.writeInt32BE(size, this.length);
    this.length += this.buffer.write(value, this.length);
  }

  bytes(value: Buffer | undefined): void {
    if (value === undefined) return this.null();
    this.reserve(4 + value.length);
    this.length = this.buffer.writeInt32BE(value.length, this.length);
    this.length += value.copy(this.buffer, this.length);
  }

  bool(value: boolean): void {
    this.reserve(5);
    this.length = this.buffer.writeInt32BE(1, this.length);
    this.length = this.buffer.writeUInt8(value ? 1 : 0, this.length);
  }

  int2(value: number): void {
    this.reserve(6);
    this.length = this.buffer.writeInt32BE(2, this.length);
    this.length = this.buffer.writeInt16BE(value, this.length);
  }

  int4(value: number): void {
    this.reserve(8);
    this.length = this.buffer.writeInt32BE(4, this.length);
    this.length = this.buffer.writeInt32BE(value, this.length);
  }

  bigint(value: number | undefined): void {
    if (value === undefined || !Number.isSafeInteger(value)) return this.null();
    this.reserve(12);
    this.length = this.buffer.writeInt32BE(8, this.length);
    this.length = this.buffer.writeBigInt64BE(BigInt(value), this.length);
  }

  /** jsonb travels as a version byte and its text. */
  jsonb(json: string | undefined): void {
    if (json === undefined) return this.null();
    const size = Buffer.byteLength(json);
    this.reserve(5 + size);
    this.length = this.buffer.writeInt32BE(size + 1, this.length);
    this.length = this.buffer.writeUInt8(1, this.length);
    this.length += this.buffer.write(json, this.length);
  }

  jsonbBytes(source: Buffer, start: number, end: number): void {
    this.reserve(5 + end - start);
    this.length = this.buffer.writeInt32BE(end - start + 1, this.length);
    this.length = this.buffer.writeUInt8(1, this.length);
    this.length += source.copy(this.buffer, this.length, start, end);
  }

  /** The tuples written so far, as their own memory. */
  take(): Buffer {
    const tuples = Buffer.from(this.buffer.subarray(0, this.length));
    this.length = 0;
    return tuples;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}
