import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../platform/time/clock.js';
import { vcsErrors } from '../vcs.errors.js';
import type {
  ChangedFile,
  ChangedFiles,
  Comparison,
  HostComment,
  HostInstallation,
  HostPage,
  HostPlace,
  HostPullRequest,
  HostRepository,
  HostReview,
  HostTree,
  KnownTree,
  WrittenComment,
} from './code-host.js';
import { encodePath, GithubApi, repoPath } from './github-api.js';
import {
  isBotName,
  isNameOfApp,
  isWrittenByApp,
  toChangedFile,
  toPullRequest,
  toRepository,
  toReview,
  toTreeEntry,
} from './github-mapping.rules.js';
import { dateAt, flagAt, idAt, listAt, objectAt, textAt, toWrittenComment, wordAt } from './json-fields.js';
import { OwnIdentity } from './own-identity.js';
import { present, presentItems } from './present.js';
import type { ProviderAnswer } from './provider-requests.js';

/** GitHub lists no more files of a pull request. */
const MAX_LISTED_FILES = 3000;
const MERGEABLE_TRIES = 5;
const MERGEABLE_PAUSE_MS = 1_000;

/** What is read of repositories and pull requests at GitHub. */
export abstract class GithubReader {
  private readonly app: OwnIdentity<unknown>;

  constructor(
    protected readonly api: GithubApi,
    protected readonly clock: Clock,
  ) {
    this.app = new OwnIdentity(clock);
  }

  async *listRepositories(
    installation: HostInstallation,
    signal?: AbortSignal,
  ): AsyncGenerator<HostPage<HostRepository>> {
    const call = { path: '/installation/repositories', signal };
    for await (const answer of this.api.pages(installation, call)) {
      // An empty list would say that everything is gone.
      if (!Array.isArray(objectAt(answer.json)?.['repositories']))
        throw vcsErrors.PROVIDER_REFUSED('the code host did not answer with a list');
      const items = presentItems(listAt(answer.json, 'repositories').map(toRepository));
      yield { items, pages: answer.lastPage ?? null };
    }
  }

  async findRepository(
    installation: HostInstallation,
    providerId: string,
    signal?: AbortSignal,
  ): Promise<HostRepository | undefined> {
    const path = `/repositories/${encodeURIComponent(providerId)}`;
    const answer = await this.api.send(installation, { path, route: '/repositories/{id}', signal });
    return found(answer, (json) => present(toRepository(json)));
  }

  async findOwnRepository(
    installation: HostInstallation,
    providerId: string,
    signal?: AbortSignal,
  ): Promise<HostRepository | undefined> {
    const repository = await this.findRepository(installation, providerId, signal);
    if (!repository) return undefined;
    const place = { installation, repository };
    const answer = await this.api.sendAsApp({
      path: repoPath(place, '/installation'),
      route: '/repos/{repo}/installation',
      signal,
    });
    const id = found(answer, (json) => idAt(json, 'id'));
    return id === installation.installationId ? repository : undefined;
  }

  async findComment(
    place: HostPlace,
    { id }: { id: string },
    signal?: AbortSignal,
  ): Promise<HostComment | undefined> {
    const path = `/issues/comments/${encodeURIComponent(id)}`;
    return found(await this.read(place, path, '/issues/comments/{id}', signal), (json) => {
      const username = textAt(json, 'user', 'login');
      const [body, createdAt] = [textAt(json, 'body') ?? '', dateAt(json, 'created_at')];
      return username === undefined ? undefined : { username, body, createdAt };
    });
  }

  async findCommentWith(
    place: HostPlace,
    number: number,
    { mark, since }: { mark: string; since: Date },
    signal?: AbortSignal,
  ): Promise<WrittenComment | undefined> {
    const call = {
      path: repoPath(place, `/issues/${number}/comments`),
      route: '/repos/{repo}/issues/{n}/comments',
      query: { since: since.toISOString() },
      signal,
    };
    let app: unknown;
    for await (const answer of this.api.pages(place.installation, call))
      for (const json of listAt({ items: answer.json }, 'items')) {
        if (textAt(json, 'body')?.includes(mark) !== true) continue;
        app ??= await this.readApp(signal);
        if (isWrittenByApp(json, app)) return toWrittenComment(json);
      }
    return undefined;
  }

  protected async readApp(signal: AbortSignal | undefined): Promise<unknown> {
    return this.app.read(
      'app',
      '',
      async () => (await this.api.sendAsApp({ path: '/app', signal })).orRefused().json,
    );
  }

  /** One request, whatever is known. */
  async readTree(
    place: HostPlace,
    ref: string,
    _known?: KnownTree,
    signal?: AbortSignal,
  ): Promise<HostTree | undefined> {
    const answer = await this.read(
      place,
      `/git/trees/${encodePath(ref)}?recursive=1`,
      '/git/trees/{ref}',
      signal,
    );
    return found(answer, (json) => ({
      entries: presentItems(listAt(json, 'tree').map(toTreeEntry)),
      isTruncated: flagAt(json, 'truncated'),
    }));
  }

  async readFile(
    place: HostPlace,
    { path, ref }: { path: string; ref: string },
    signal?: AbortSignal,
  ): Promise<Buffer | undefined> {
    const answer = await this.api.send(place.installation, {
      path: repoPath(place, `/contents/${encodePath(path)}`),
      route: '/repos/{repo}/contents/{path}',
      query: { ref },
      accept: 'application/vnd.github.raw+json',
      signal,
    });
    return answer.status === 404 ? undefined : answer.orRefused().bytes;
  }

  async findBranch(
    place: HostPlace,
    branch: string,
    signal?: AbortSignal,
  ): Promise<{ sha: string } | undefined> {
    const answer = await this.read(place, `/git/ref/heads/${encodePath(branch)}`, '/git/ref/{ref}', signal);
    const sha = answer.status === 404 ? undefined : textAt(answer.orRefused().json, 'object', 'sha');
    return sha === undefined ? undefined : { sha };
  }

  async compare(
    place: HostPlace,
    { base, head }: { base: string; head: string },
    signal?: AbortSignal,
  ): Promise<Comparison | undefined> {
    const range = `${encodeURIComponent(base)}...${encodeURIComponent(head)}`;
    const answer = await this.read(place, `/compare/${range}?per_page=1`, '/compare/{range}', signal);
    return found(answer, (json) => {
      const files = presentItems(listAt(json, 'files').map(toChangedFile));
      // A comparison holds 300 files and does not say that there were more.
      return {
        files,
        isTruncated: files.length >= 300,
        mergeBaseSha: textAt(json, 'merge_base_commit', 'sha') ?? '',
      };
    });
  }

  async findPullRequest(
    place: HostPlace,
    number: number,
    { awaitMergeable = false } = {},
    signal?: AbortSignal,
  ): Promise<HostPullRequest | undefined> {
    for (let tries = 1; ; tries += 1) {
      const pull = found(await this.read(place, `/pulls/${number}`, '/pulls/{n}', signal), toPullRequest);
      const isKnown = pull === undefined || pull.state !== 'open' || pull.isMergeable !== null;
      if (!awaitMergeable || isKnown || tries >= MERGEABLE_TRIES) return pull;
      await delay(MERGEABLE_PAUSE_MS * tries, undefined, signal ? { signal } : {});
    }
  }

  async listChangedFiles(place: HostPlace, number: number, signal?: AbortSignal): Promise<ChangedFiles> {
    const files: ChangedFile[] = [];
    const call = {
      path: repoPath(place, `/pulls/${number}/files`),
      route: '/repos/{repo}/pulls/{n}/files',
      signal,
    };
    for await (const answer of this.api.pages(place.installation, call))
      files.push(...presentItems(listAt({ items: answer.json }, 'items').map(toChangedFile)));
    return { files, isTruncated: files.length >= MAX_LISTED_FILES };
  }

  async listReviews(place: HostPlace, number: number, signal?: AbortSignal): Promise<HostReview[]> {
    const reviews: HostReview[] = [];
    const call = {
      path: repoPath(place, `/pulls/${number}/reviews`),
      route: '/repos/{repo}/pulls/{n}/reviews',
      signal,
    };
    let app: unknown;
    for await (const answer of this.api.pages(place.installation, call))
      for (const json of listAt({ items: answer.json }, 'items')) {
        const review = toReview(json);
        if (review && isBotName(review.username)) {
          app ??= await this.readApp(signal);
          if (isNameOfApp(review.username, app)) continue;
        }
        if (review) reviews.push(review);
      }
    return reviews;
  }

  async isOwnAccount(
    _installation: HostInstallation,
    username: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    return isBotName(username) && isNameOfApp(username, await this.readApp(signal));
  }

  isOwnBot(installation: HostInstallation, username: string, signal?: AbortSignal): Promise<boolean> {
    return this.isOwnAccount(installation, username, signal);
  }

  /** The newest 100 activities of the branch; older servers have none. */
  async findPusher(
    place: HostPlace,
    { branch, sha }: { branch: string; sha: string },
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const answer = await this.api.send(place.installation, {
      path: repoPath(place, '/activity'),
      route: '/repos/{repo}/activity',
      query: { ref: `refs/heads/${branch}`, per_page: 100 },
      signal,
    });
    if ([403, 404, 422].includes(answer.status)) return undefined;
    const activities = listAt({ items: answer.orRefused().json }, 'items');
    const push = activities.find((json) => textAt(json, 'after') === sha);
    return wordAt(push, 'actor', 'login');
  }

  protected async read(
    place: HostPlace,
    rest: string,
    route: string,
    signal: AbortSignal | undefined,
  ): Promise<ProviderAnswer> {
    return this.api.send(place.installation, {
      path: repoPath(place, rest),
      route: `/repos/{repo}${route}`,
      signal,
    });
  }

  protected async write(...request: Parameters<GithubReader['ask']>): Promise<ProviderAnswer> {
    return (await this.ask(...request)).orRefused();
  }

  protected async ask(
    place: HostPlace,
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    rest: string,
    call: { route: string; json?: unknown; isRepeatable?: boolean },
  ): Promise<ProviderAnswer> {
    const { route, ...options } = call;
    return this.api.send(place.installation, {
      method,
      path: repoPath(place, rest),
      route: `/repos/{repo}${route}`,
      ...options,
    });
  }
}

/** Undefined for what the provider does not have. */
export function found<T>(answer: ProviderAnswer, map: (json: unknown) => T | undefined): T | undefined {
  return answer.status === 404 ? undefined : map(answer.orRefused().json);
}
