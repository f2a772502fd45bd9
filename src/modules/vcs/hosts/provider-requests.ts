import { Injectable } from '@nestjs/common';
import { OutboundClient, OutboundFailure, type OutboundRequest } from '../../../platform/outbound/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Provider } from '../entities/installation.entity.js';
import { vcsErrors } from '../vcs.errors.js';
import { textAt } from './json-fields.js';
import { VcsMetrics } from './vcs-metrics.js';

export interface ProviderCall extends Omit<OutboundRequest, 'headers'> {
  provider: Provider;
  /** bearer token; absent: the request carries none */
  token?: string;
  accept?: string;
  query?: Readonly<Record<string, string | number>>;
}

/** An answer of a code host. */
export class ProviderAnswer {
  constructor(
    readonly provider: Provider,
    readonly status: number,
    readonly headers: Headers,
    readonly bytes: Buffer,
  ) {}

  get isSuccess(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Undefined where the body is no JSON. */
  get json(): unknown {
    try {
      return JSON.parse(this.bytes.toString()) as unknown;
    } catch {
      return undefined;
    }
  }

  /** The provider's words for a refusal, shortened. */
  get reason(): string {
    const { json } = this;
    const words =
      textAt(json, 'message') ?? textAt(json, 'error_description') ?? textAt(json, 'error') ?? undefined;
    return (words ?? JSON.stringify((json as { message?: unknown } | undefined)?.message ?? '')).slice(
      0,
      500,
    );
  }

  /** The answer of a request that nobody expects to be refused. */
  orRefused(): this {
    if (!this.isSuccess)
      throw vcsErrors.PROVIDER_REFUSED(`the code host refused the request with status ${this.status}`);
    return this;
  }

  /** Number of the last page, as GitHub's `Link` or GitLab's `X-Total-Pages` says it. */
  get lastPage(): number | undefined {
    const total = this.headers.get('x-total-pages');
    const last = /[?&]page=(\d+)[^>]*>;\s*rel="last"/.exec(this.headers.get('link') ?? '')?.[1] ?? total;
    return last !== null && /^\d{1,9}$/.test(last) ? Number(last) : undefined;
  }

  get hasNextPage(): boolean {
    const next = this.headers.get('x-next-page');
    if (next !== null) return next !== '';
    return /rel="next"/.test(this.headers.get('link') ?? '');
  }
}

/** Every request to a code host passes here: it is counted, bounded, queued and tried again. */
@Injectable()
export class ProviderRequests {
  private readonly client: OutboundClient;

  constructor(
    private readonly metrics: VcsMetrics,
    clock: Clock,
  ) {
    this.client = new OutboundClient({
      now: () => clock.now(),
      observe: (request, { status, headers }) => this.observe(request, status, headers),
    });
  }

  /** 503 `PROVIDER_UNAVAILABLE` with `Retry-After` when no answer comes. */
  async send({ provider, token, accept, query, ...request }: ProviderCall): Promise<ProviderAnswer> {
    const url = new URL(request.url);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    try {
      const { status, headers, body } = await this.client.send({
        ...request,
        url: url.href,
        route: `${provider} ${request.route}`,
        headers: {
          Accept: accept ?? 'application/json',
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
      });
      return new ProviderAnswer(provider, status, headers, body);
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      const seconds = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
      throw vcsErrors.PROVIDER_UNAVAILABLE(undefined, { 'Retry-After': seconds }).because(error);
    }
  }

  /** Every page of a list; `next` is asked for as long as the provider names one. */
  async *pages(call: ProviderCall): AsyncGenerator<ProviderAnswer> {
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const answer = await this.send({ ...call, query: { ...call.query, per_page: PAGE_SIZE, page } });
      yield answer;
      if (!answer.isSuccess || !answer.hasNextPage) return;
    }
  }

  private observe({ route, owner }: OutboundRequest, status: number, headers: Headers | undefined): void {
    const [provider, ...rest] = route.split(' ');
    this.metrics.countRequest(provider as Provider, rest.join(' '), status);
    const remaining = headers?.get('x-ratelimit-remaining') ?? headers?.get('ratelimit-remaining');
    if (remaining !== null && remaining !== undefined && owner.startsWith('installation '))
      this.metrics.setRemaining(provider as Provider, owner.slice('installation '.length), Number(remaining));
  }
}

export const PAGE_SIZE = 100;
const MAX_PAGES = 1000;
