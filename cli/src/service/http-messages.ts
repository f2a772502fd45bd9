import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Failure } from '../failure.js';

export type Body = string | Uint8Array | ReadableStream<Uint8Array>;
export interface Init {
  method?: string;
  headers?: HeaderList | Record<string, string>;
  body?: Body | null;
  signal?: AbortSignal | null;
}

/** What the SDK uses of `Headers`. */
export class HeaderList {
  private readonly values = new Map<string, string>();

  constructor(init: Init['headers'] = {}) {
    const entries = init instanceof HeaderList ? init.values : Object.entries(init);
    for (const [name, value] of entries) this.append(name, value);
  }

  get(name: string): string | null {
    return this.values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.values.has(name.toLowerCase());
  }

  set(name: string, value: unknown): void {
    this.values.set(name.toLowerCase(), String(value));
  }

  append(name: string, value: unknown): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${String(value)}`);
  }

  delete(name: string): void {
    this.values.delete(name.toLowerCase());
  }

  forEach(each: (value: string, name: string) => void): void {
    this.values.forEach(each);
  }
}

/** What the SDK uses of `Request`. */
export class HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: HeaderList;
  readonly body: Body | null;
  readonly signal: AbortSignal | undefined;

  constructor(input: string | URL | HttpRequest, init: Init = {}) {
    const given = input instanceof HttpRequest ? input : undefined;
    this.url = given?.url ?? (input as string | URL).toString();
    this.method = init.method ?? given?.method ?? 'GET';
    this.headers = new HeaderList(init.headers ?? given?.headers);
    this.body = init.body ?? given?.body ?? null;
    this.signal = init.signal ?? given?.signal;
  }

  /** Shares the body, which can be sent again unless it is a stream. */
  clone(): HttpRequest {
    return new HttpRequest(this);
  }
}

/** What the SDK uses of `Response`. */
export class HttpResponse {
  readonly status: number;
  readonly headers = new HeaderList();
  private web: ReadableStream<Uint8Array> | undefined;

  constructor(
    incoming: Pick<IncomingMessage, 'statusCode' | 'headers'>,
    private readonly content: Readable,
    private readonly signal?: AbortSignal,
  ) {
    this.status = incoming.statusCode ?? 0;
    // Whoever reads it is told; of an answer that nobody reads it does not matter.
    content.on('error', () => undefined);
    for (const [name, value] of Object.entries(incoming.headers)) this.headers.set(name, value);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): ReadableStream<Uint8Array> {
    return (this.web ??= Readable.toWeb(this.content) as ReadableStream<Uint8Array>);
  }

  async text(): Promise<string> {
    const parts: Buffer[] = [];
    try {
      for await (const part of this.content) parts.push(part as Buffer);
    } catch (error) {
      this.signal?.throwIfAborted();
      throw Object.assign(new Failure('UNREACHABLE', 'the answer broke off'), { cause: error });
    }
    // Without the mark that some put before UTF-8.
    return new TextDecoder().decode(Buffer.concat(parts));
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}
