import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CloudCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: string;
}

/** What a stand-in does instead of an answer. */
export type Fault =
  | { kind: 'status'; status: number; type?: string; headers?: Record<string, string> }
  | { kind: 'html' }
  | { kind: 'text'; body: string }
  | { kind: 'cut' }
  | { kind: 'drip' }
  | { kind: 'silence' }
  /** the usual answer */
  | { kind: 'none' };

export interface CloudAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** A cloud on loopback: speaks the wire protocol, and keeps what it was asked. */
export abstract class StandIn {
  readonly calls: { action: string; at: number }[] = [];
  /** how many page tokens are refused from now on, as if they had expired */
  refusedTokens = 0;
  /** the next faults, by action; `always` goes on for ever */
  private readonly faults = new Map<string, { next: Fault[]; always?: Fault }>();
  private server: Server | undefined;

  get url(): string {
    return `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    this.server?.close();
    await (this.server ? once(this.server, 'close') : undefined);
  }

  fail(action: string, ...faults: Fault[]): void {
    this.faults.set(action, { next: [...faults] });
  }

  failAlways(action: string, fault: Fault): void {
    this.faults.set(action, { next: [], always: fault });
  }

  /** The next answers are the usual ones. */
  failAfter(action: string, answers: number, fault: Fault): void {
    this.faults.set(action, { next: Array<Fault>(answers).fill({ kind: 'none' }), always: fault });
  }

  heal(): void {
    this.faults.clear();
    this.refusedTokens = 0;
  }

  count(action: string): number {
    return this.calls.filter((call) => call.action === action).length;
  }

  protected isExpired(token: unknown): boolean {
    if (token === undefined || token === null || this.refusedTokens === 0) return false;
    this.refusedTokens -= 1;
    return true;
  }

  protected abstract actionOf(call: CloudCall): string;
  protected abstract answer(call: CloudCall): CloudAnswer | Promise<CloudAnswer>;
  protected abstract refusal(fault: Extract<Fault, { kind: 'status' }>, call: CloudCall): CloudAnswer;

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(request);
    const action = this.actionOf(call);
    this.calls.push({ action, at: Date.now() });
    const waiting = this.faults.get(action);
    const fault = waiting?.next.shift() ?? waiting?.always;
    if (fault?.kind === 'silence') return;
    const answer =
      fault?.kind === 'status'
        ? this.refusal(fault, call)
        : fault?.kind === 'html'
          ? {
              status: 200,
              headers: { 'content-type': 'text/html' },
              body: '<html><body>Sign in</body></html>',
            }
          : fault?.kind === 'text'
            ? { status: 200, headers: { 'content-type': 'application/json' }, body: fault.body }
            : await this.answer(call);
    const bytes = Buffer.from(answer.body);
    response.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
    if (fault?.kind === 'cut') {
      response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
      return;
    }
    // The rest never comes.
    if (fault?.kind === 'drip') response.write(bytes.subarray(0, 1));
    else response.end(bytes);
  }
}

async function readCall(request: IncomingMessage): Promise<CloudCall> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const url = new URL(request.url ?? '/', 'http://cloud');
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.concat(parts).toString(),
  };
}
