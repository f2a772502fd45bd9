import type { Clock } from '../../../platform/time/clock.js';
import { CloudFailure } from '../clouds/cloud-inventory.js';
import { cloudJson, type CloudRequest } from '../clouds/cloud-rest.js';

/** Renewed this long before it expires. */
const RENEWAL_MS = 60_000;

/** An access token of a token endpoint, renewed when it is about to expire. */
export class BearerToken {
  private token: { text: string; renewAt: number } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly request: () => Promise<Omit<CloudRequest, 'method'>>,
  ) {}

  /** A request with the token; once more with a new one when the token was refused. */
  async json(request: CloudRequest): Promise<Record<string, unknown>> {
    const isOld = this.token !== undefined;
    try {
      return await cloudJson(await this.signed(request));
    } catch (error) {
      if (!isOld || !(error instanceof CloudFailure) || error.view.code !== 'ACCESS_DENIED') throw error;
      this.token = undefined;
      return cloudJson(await this.signed(request));
    }
  }

  private async signed(request: CloudRequest): Promise<CloudRequest> {
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${await this.current()}` } };
  }

  private async current(): Promise<string> {
    if (this.token && this.clock.now().getTime() < this.token.renewAt) return this.token.text;
    const request = await this.request();
    const { access_token: text, expires_in: seconds } = await cloudJson({ ...request, method: 'POST' });
    if (typeof text !== 'string' || !/^[\x21-\x7e]{1,20000}$/.test(text))
      throw new CloudFailure('INVALID_RESPONSE', { action: request.action });
    const lifetimeMs = (typeof seconds === 'number' ? seconds : 300) * 1_000;
    this.token = {
      text,
      renewAt: this.clock.now().getTime() + Math.max(lifetimeMs - RENEWAL_MS, lifetimeMs / 2),
    };
    return text;
  }
}
