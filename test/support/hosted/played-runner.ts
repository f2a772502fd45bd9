import { request } from 'node:http';
import { must } from '../identity.js';
import type { HostedService } from './hosted-service.js';

/** A runner that speaks the protocol by hand, so that a test can stop between any two calls. */
export class PlayedRunner {
  private token = '';
  private seq = 0;

  constructor(
    private readonly service: HostedService,
    private readonly workToken: string,
  ) {}

  async initiate(fields: Record<string, unknown> = {}): Promise<void> {
    const { token } = await must<{ token: string }>(this.service.api, 'POST', '/runner/initiate', {
      as: this.workToken,
      body: { run_id: 'played', nonce: 'played', runner: { version: '0.1.0', protocol: 1 }, ...fields },
    });
    this.token = token;
  }

  async step(step: string, text: string, seq = this.seq++): Promise<void> {
    const scope = { type: 'dirspace', dir: 'a', workspace: 'default' };
    const payload = { text, plan: text, has_changes: true };
    await this.send('POST', 'steps', { steps: [{ seq, scope, step, state: 'success', payload }] });
  }

  async plan(bytes: string, n = 0): Promise<void> {
    const answer = await this.askForPlan('PUT', bytes, n);
    if (answer.status !== 204) throw new Error(`the plan was answered with ${answer.status}`);
  }

  /** Begins to send a plan file with its first bytes. The answer comes once it is ended; none comes when it is cut. */
  beginPlan(bytes: string): { end: (rest: string) => void; cut: () => void; status: Promise<number> } {
    const sent = request(`${this.service.api.url}/api/v1/runner/dirspaces/0/plan`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/octet-stream' },
    });
    const status = new Promise<number>((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
    });
    sent.write(bytes);
    return { end: (rest) => sent.end(rest), cut: () => sent.destroy(), status };
  }

  async readPlan(n = 0): Promise<string> {
    const answer = await this.askForPlan('GET', undefined, n);
    if (answer.status !== 200) throw new Error(`the plan was answered with ${answer.status}`);
    return answer.text();
  }

  /** `success` is that of the whole run: false when a hook failed. */
  async results(fields: Record<string, unknown> = {}, { success = true } = {}): Promise<void> {
    const dirspace = { dir: 'a', workspace: 'default', success: true, ...fields };
    await this.send('POST', 'results', { success, dirspaces: [dirspace] });
  }

  /** The results of several directories that succeeded. */
  async succeedIn(dirs: readonly string[], { hasChanges = true } = {}): Promise<void> {
    const dirspaces = dirs.map((dir) => ({
      dir,
      workspace: 'default',
      success: true,
      has_changes: hasChanges,
    }));
    await this.send('POST', 'results', { success: true, dirspaces });
  }

  async work(): Promise<{
    checkout: { username: string; password: string };
    dirspaces: { dir: string; has_plan: boolean }[];
  }> {
    return must(this.service.api, 'GET', '/runner/work', { as: this.token });
  }

  async send(method: string, path: string, body?: unknown): Promise<void> {
    await must(this.service.api, method, `/runner/${path}`, {
      as: this.token,
      ...(body === undefined ? {} : { body }),
    });
  }

  private askForPlan(method: 'GET' | 'PUT', body?: string, n = 0): Promise<Response> {
    return fetch(`${this.service.api.url}/api/v1/runner/dirspaces/${n}/plan`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/octet-stream' },
      ...(body === undefined ? {} : { body }),
    });
  }
}
