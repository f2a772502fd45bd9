import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

interface ReportedStep {
  step: string;
  state: string;
  scope: Json;
  payload: Json;
}

const HEARTBEAT_SECONDS = 0.05;
const TASK_ID = randomUUID();
const TRANSACTION = {
  id: randomUUID(),
  tenant_id: randomUUID(),
  created_at: '2026-01-31T10:00:00.000Z',
  state: 'open',
  params: {},
  tags: {},
  plan_summary: { add: 0, change: 0, destroy: 0 },
  state_names: [],
};

/** The service as a runner sees it, for one run: what it reports is kept, and the run can be aborted at any moment. */
export class PlayedRunService {
  readonly steps: ReportedStep[] = [];
  readonly results: Json[] = [];
  /** what transactions were told: how they end, and what a commit came to */
  readonly transactions: Json[] = [];
  /** work tokens that claims are answered with */
  readonly claimable: string[] = [];
  claims = 0;
  log = '';
  work: Json = {};
  plan: { bytes: string | Buffer; digest?: string } | undefined;
  private isAborted = false;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(): Promise<PlayedRunService> {
    const service = new PlayedRunService();
    await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on the runner is told so at each call. What it reports is kept all the same. */
  abort(): void {
    this.isAborted = true;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = (request.url ?? '').replace('/api/v1/runner/', '');
    const isBinary = request.headers['content-type'] === 'application/octet-stream';
    const text = Buffer.concat(chunks).toString();
    const body = text === '' || isBinary ? {} : (JSON.parse(text) as Json);
    if (path.startsWith('/api/v1/')) return this.transaction(response, path, body);
    if (path === 'claim') return this.claim(request, response);
    this.keep(path, body);
    if (this.isAborted) return send(response, 409, { id: 'RUN_ENDED', data: 'the run has ended' });
    if (path === 'initiate')
      return send(response, 200, {
        token: 'the-token-of-the-run',
        work_manifest_id: 'run',
        heartbeat_seconds: HEARTBEAT_SECONDS,
      });
    if (path === 'work') return send(response, 200, this.work);
    if (/^dirspaces\/\d+\/plan$/.test(path) && request.method === 'GET') return this.sendPlan(response);
    send(response, 200, {});
  }

  private keep(path: string, body: Json): void {
    if (path === 'steps') this.steps.push(...(body['steps'] as ReportedStep[]));
    if (path === 'results') this.results.push(body);
    if (path === 'logs') for (const { text } of body['chunks'] as { text: string }[]) this.log += text;
  }

  /** Transactions outlive the run. What they are told is done at once. */
  private transaction(response: ServerResponse, path: string, body: Json): void {
    const [area, id, kind] = path.replace('/api/v1/', '').split('/');
    const task = { id: TASK_ID, state: 'completed' };
    if (id === 'session') return send(response, 201, { token: 'the-token-of-the-session', tx: TRANSACTION });
    this.transactions.push(area === 'actuator' ? (body['request'] as Json) : { kind });
    if (kind === 'abort') return send(response, 200, TRANSACTION);
    send(response, 200, area === 'actuator' ? { task } : { task, token: 'the-token-of-the-step' });
  }

  private sendPlan(response: ServerResponse): void {
    if (!this.plan) return send(response, 404, { id: 'PLAN_FILE_NOT_FOUND', data: 'plan file not found' });
    const { bytes, digest = createHash('sha256').update(bytes).digest('base64') } = this.plan;
    response.writeHead(200, { 'content-length': bytes.length, 'repr-digest': `sha-256=:${digest}:` });
    response.end(bytes);
  }

  /** A long poll: without work it is answered by nobody until the runner gives it up. */
  private claim(request: IncomingMessage, response: ServerResponse): void {
    this.claims++;
    const token = this.claimable.shift();
    if (token !== undefined) send(response, 200, { work_token: token, api_base_url: this.url });
    else request.resume();
  }
}

function send(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
