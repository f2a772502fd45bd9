// A stand-in of GitHub for runs: repositories with pull requests, and what the service starts there.
import { createHash, createHmac, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const SECRET = 'bench secret';
const LATENCY_MS = 5;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const hash = (text) => createHash('sha1').update(text).digest('hex');

export class RunHosting extends EventEmitter {
  /** by id: {id, name, cloneUrl, pulls: Map<number, {branch, head, base, tree, baseTree, files}>} */
  repositories = new Map();
  requests = 0;
  dispatches = [];

  static async start() {
    const hosting = new RunHosting();
    hosting.setMaxListeners(0);
    hosting.server = createServer((request, response) => void hosting.answer(request, response));
    hosting.server.listen(0, '127.0.0.1');
    await once(hosting.server, 'listening');
    hosting.url = `http://127.0.0.1:${hosting.server.address().port}`;
    return hosting;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  get environment() {
    return {
      SERVICE_ORCHESTRATION_ENABLED: 'true',
      SERVICE_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
      SERVICE_RUNS_PER_INSTALLATION: '100000',
      SERVICE_GITHUB_APP_ID: '1',
      SERVICE_GITHUB_APP_PEM: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      SERVICE_GITHUB_WEBHOOK_SECRET: SECRET,
      SERVICE_GITHUB_API_BASE_URL: this.url,
      SERVICE_GITHUB_WEB_BASE_URL: this.url,
    };
  }

  /** `trees`: paths by commit; `files`: what a pull request changes. */
  addRepository(id, { cloneUrl = `${this.url}/none.git`, trees = {}, blobs = {} } = {}) {
    const repository = {
      id,
      name: `r${id}`,
      cloneUrl,
      trees,
      blobs,
      pulls: new Map(),
      mainSha: hash('main'),
    };
    this.repositories.set(repository.name, repository);
    return repository;
  }

  /** Answers how long it takes until the delivery is answered. */
  async deliver(service, repository, event, payload) {
    const body = JSON.stringify({
      installation: { id: 1 },
      repository: this.json(repository),
      sender: { login: 'bench', type: 'User' },
      ...payload,
    });
    const answer = await fetch(`${service.base}/api/v1/github/events`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-GitHub-Event': event,
        'X-GitHub-Delivery': randomUUID(),
        'X-Hub-Signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
      },
      body,
    });
    if (answer.status !== 200) throw new Error(`the delivery was answered ${answer.status}`);
    await answer.arrayBuffer();
  }

  opened(service, repository, number) {
    return this.deliver(service, repository, 'pull_request', { action: 'opened', pull_request: { number } });
  }

  comment(service, repository, number, text) {
    return this.deliver(service, repository, 'issue_comment', {
      action: 'created',
      issue: { number, pull_request: {} },
      comment: {
        id: Math.floor(Math.random() * 1e9),
        body: text,
        user: { login: 'bench', type: 'User' },
      },
    });
  }

  /** Until the service has started a run that `matches`; the dispatch, with the time when it came. */
  async dispatched(matches) {
    for (;;) {
      const found = this.dispatches.find((each) => !each.isTaken && matches(each));
      if (found) return Object.assign(found, { isTaken: true });
      await Promise.race([
        once(this, 'dispatch'),
        delay(60_000).then(() => Promise.reject(new Error('no dispatch came'))),
      ]);
    }
  }

  json({ id, name, cloneUrl }) {
    return {
      id,
      name,
      full_name: `bench/${name}`,
      owner: { login: 'bench' },
      default_branch: 'main',
      archived: false,
      html_url: `https://example.com/bench/${name}`,
      clone_url: cloneUrl,
    };
  }

  async answer(request, response) {
    this.requests += 1;
    const parts = [];
    for await (const part of request) parts.push(part);
    await delay(LATENCY_MS);
    const url = new URL(request.url, this.url);
    const send = (json, status = 200) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(json));
    if (url.pathname.endsWith('/access_tokens'))
      return send({ token: 'ghs_bench', expires_at: new Date(Date.now() + 3_600_000).toISOString() }, 201);
    const byId = /^\/repositories\/(\d+)$/.exec(url.pathname);
    if (byId) return send(this.json(this.repositories.get(`r${byId[1]}`)));
    const [, name, rest = ''] = /^\/repos\/bench\/([^/]+)(\/.*)$/.exec(url.pathname) ?? [];
    const repository = this.repositories.get(name);
    if (!repository) return send({ message: 'Not Found' }, 404);
    const body = parts.length > 0 ? JSON.parse(Buffer.concat(parts).toString()) : {};
    return this.within(repository, { rest, url, body, method: request.method, response }, send);
  }

  within(repository, { rest, url, body, method, response }, send) {
    const pull = repository.pulls.get(Number(/^\/pulls\/(\d+)/.exec(rest)?.[1]));
    if (/^\/pulls\/\d+$/.test(rest)) return send(this.pullJson(repository, pull));
    if (rest.endsWith('/files'))
      return send(pull.files.map((filename) => ({ filename, status: 'modified' })));
    if (rest.startsWith('/git/ref/heads/')) return send({ object: { sha: repository.mainSha } });
    if (rest.startsWith('/git/trees/')) {
      const paths = repository.trees[rest.slice('/git/trees/'.length)] ?? repository.trees.default ?? [];
      return send({
        truncated: false,
        tree: paths.map((path) => ({
          path,
          type: 'blob',
          mode: '100644',
          sha: hash(repository.blobs[path] ?? path),
        })),
      });
    }
    if (rest.startsWith('/contents/')) {
      const text = repository.blobs[decodeURIComponent(rest.slice('/contents/'.length))];
      return text === undefined ? send({ message: 'Not Found' }, 404) : response.writeHead(200).end(text);
    }
    if (rest.endsWith('/dispatches')) {
      const at = performance.now();
      const dispatch = { at, id: this.dispatches.length + 1, repository, ref: body.ref, inputs: body.inputs };
      this.dispatches.push(dispatch);
      this.emit('dispatch');
      return send({ workflow_run_id: dispatch.id, html_url: `${this.url}/runs/${dispatch.id}` });
    }
    if (rest.endsWith('/permission')) return send({ permission: 'admin', role_name: 'admin' });
    if (rest.endsWith('/status')) return send({ statuses: [] });
    if (rest.endsWith('/check-runs')) return send({ check_runs: [] });
    if (rest.endsWith('/comments') && method === 'GET') return send([]);
    this.emit('said', { repository, rest, body });
    return send({ id: 1 }, 201);
  }

  pullJson({ id }, { number, branch, head, base }) {
    const at = '2026-01-01T00:00:00Z';
    return {
      number,
      title: 'bench',
      user: { login: 'bench' },
      state: 'open',
      mergeable: true,
      created_at: at,
      updated_at: at,
      head: { ref: branch, sha: head, repo: { id } },
      base: { ref: 'main', sha: base, repo: { id } },
    };
  }
}

/** A runner that speaks the protocol by hand. */
export async function play(service, { inputs, id }, { workMs = 0, hasChanges = false } = {}) {
  const send = async (method, path, token, body) => {
    const answer = await fetch(`${service.base}/api/v1/runner/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  };
  const { token } = await send('POST', 'initiate', inputs.work_token, {
    run_id: String(id),
    nonce: randomUUID(),
    runner: { version: '0.1.0', protocol: 1 },
  });
  const { dirspaces } = await send('GET', 'work', token);
  await delay(workMs);
  await send('POST', 'results', token, {
    success: true,
    dirspaces: dirspaces.map(({ dir, workspace }) => ({
      dir,
      workspace,
      success: true,
      has_changes: hasChanges,
    })),
  });
}
