import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../platform/time/clock.js';
import { vcsErrors } from '../vcs.errors.js';
import type {
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
import { toTreeEntry } from './github-mapping.rules.js';
import { GitlabApi, type GitlabCall, projectPath } from './gitlab-api.js';
import { toChangedFile, toPullRequest, toRepository, toTreeChange } from './gitlab-mapping.rules.js';
import { dateAt, flagAt, idAt, listAt, textAt, toWrittenComment, wordAt } from './json-fields.js';
import { OwnIdentity } from './own-identity.js';
import { present, presentItems } from './present.js';
import { PAGE_SIZE, type ProviderAnswer } from './provider-requests.js';

/** GitLab may cut longer lists of what differs. */
const MAX_DERIVED_FILES = 500;
const MERGEABLE_TRIES = 5;
const MERGEABLE_PAUSE_MS = 1_000;

interface OwnUser {
  id: string;
  username: string;
  /** of an access token of a group or project, or a service account */
  isBot: boolean;
}

/** What is read of projects and merge requests at GitLab. */
export abstract class GitlabReader {
  private readonly self: OwnIdentity<OwnUser>;

  constructor(
    protected readonly api: GitlabApi,
    clock: Clock,
  ) {
    this.self = new OwnIdentity(clock);
  }

  async *listRepositories(
    installation: HostInstallation,
    signal?: AbortSignal,
  ): AsyncGenerator<HostPage<HostRepository>> {
    const call = {
      path: `/groups/${encodeURIComponent(installation.installationId)}/projects`,
      route: '/groups/{id}/projects',
      query: { include_subgroups: 'true', with_shared: 'false', order_by: 'id', sort: 'asc' },
      signal,
    };
    for await (const answer of this.api.pages(installation, call))
      yield { items: presentItems(itemsOf(answer).map(toRepository)), pages: answer.lastPage ?? null };
  }

  async findRepository(
    installation: HostInstallation,
    providerId: string,
    signal?: AbortSignal,
  ): Promise<HostRepository | undefined> {
    const path = `/projects/${encodeURIComponent(providerId)}`;
    const answer = await this.api.send(installation, { path, route: '/projects/{id}', signal });
    return found(answer, (json) => present(toRepository(json)));
  }

  async findOwnRepository(
    installation: HostInstallation,
    providerId: string,
    signal?: AbortSignal,
  ): Promise<HostRepository | undefined> {
    const repository = await this.findRepository(installation, providerId, signal);
    if (!repository) return undefined;
    const answer = await this.api.send(installation, {
      path: `/groups/${encodeURIComponent(installation.installationId)}`,
      route: '/groups/{id}',
      query: { with_projects: 'false' },
      signal,
    });
    const group = present(wordAt(answer.orRefused().json, 'full_path'));
    return `${repository.owner}/`.startsWith(`${group}/`) ? repository : undefined;
  }

  async findComment(
    place: HostPlace,
    { number, id }: { number: number; id: string },
    signal?: AbortSignal,
  ): Promise<HostComment | undefined> {
    const answer = await this.ask(place, `/merge_requests/${number}/notes/${encodeURIComponent(id)}`, {
      route: '/merge_requests/{n}/notes/{id}',
      signal,
    });
    return found(answer, (json) => {
      const username = textAt(json, 'author', 'username');
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
      path: projectPath(place, `/merge_requests/${number}/notes`),
      route: '/projects/{id}/merge_requests/{n}/notes',
      query: { sort: 'desc', order_by: 'created_at' },
      signal,
    };
    let self: string | undefined;
    for await (const answer of this.api.pages(place.installation, call))
      for (const json of itemsOf(answer)) {
        if (textAt(json, 'body')?.includes(mark) === true) {
          self ??= (await this.readSelf(place.installation, signal)).id;
          if (idAt(json, 'author', 'id') === self) return toWrittenComment(json);
        }
        const createdAt = dateAt(json, 'created_at');
        if (createdAt && createdAt < since) return undefined;
      }
    return undefined;
  }

  async isOwnAccount(
    installation: HostInstallation,
    username: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { username: own } = await this.readSelf(installation, signal);
    return own.toLowerCase() === username.toLowerCase();
  }

  async isOwnBot(installation: HostInstallation, username: string, signal?: AbortSignal): Promise<boolean> {
    const own = await this.readSelf(installation, signal);
    return own.isBot && own.username.toLowerCase() === username.toLowerCase();
  }

  /** The user that the access token of the group stands for. */
  protected async readSelf(
    installation: HostInstallation,
    signal: AbortSignal | undefined,
  ): Promise<OwnUser> {
    const token = await this.api.requireToken(installation);
    return this.self.read(installation.id, token, async () => {
      const { json } = (await this.api.send(installation, { path: '/user', signal })).orRefused();
      const [id, username] = [present(idAt(json, 'id')), present(wordAt(json, 'username'))];
      return { id, username, isBot: flagAt(json, 'bot') };
    });
  }

  async readTree(
    place: HostPlace,
    ref: string,
    known?: KnownTree,
    signal?: AbortSignal,
  ): Promise<HostTree | undefined> {
    const derived = known && (await this.deriveTree(place, ref, known, signal));
    if (derived) return derived;
    const entries = [];
    const call = {
      path: projectPath(place, '/repository/tree'),
      route: '/projects/{id}/repository/tree',
      query: { ref, recursive: 'true' },
      signal,
    };
    const first = await this.api.send(place.installation, { ...call, query: { ...call.query, per_page: 1 } });
    if (first.status === 404) return undefined;
    let isTruncated = false;
    for await (const answer of this.api.pages(place.installation, call)) {
      entries.push(...presentItems(itemsOf(answer).map(toTreeEntry)));
      isTruncated = answer.hasNextPage;
    }
    return { entries, isTruncated };
  }

  /** A list of thousands of files is a hundred requests, what differs is one. Undefined where that may not be all. */
  private async deriveTree(
    place: HostPlace,
    ref: string,
    { sha, tree }: KnownTree,
    signal: AbortSignal | undefined,
  ): Promise<HostTree | undefined> {
    if (tree.isTruncated || tree.entries.length <= PAGE_SIZE) return undefined;
    const query = { from: sha, to: ref, straight: 'true' };
    const { isSuccess, json } = await this.ask(place, '/repository/compare', { query, signal });
    if (!isSuccess || flagAt(json, 'compare_timeout')) return undefined;
    const diffs = listAt(json, 'diffs');
    const changes = presentItems(diffs.map((diff) => toTreeChange(diff, ref)));
    if (diffs.length > MAX_DERIVED_FILES || changes.length < diffs.length) return undefined;
    const files = new Map(
      tree.entries.filter(({ type }) => type !== 'tree').map((entry) => [entry.path, entry]),
    );
    for (const { removedPath } of changes) if (removedPath !== undefined) files.delete(removedPath);
    for (const { entry } of changes) if (entry) files.set(entry.path, entry);
    return { entries: [...files.values()], isTruncated: false };
  }

  async readFile(
    place: HostPlace,
    { path, ref }: { path: string; ref: string },
    signal?: AbortSignal,
  ): Promise<Buffer | undefined> {
    const answer = await this.ask(place, `/repository/files/${encodeURIComponent(path)}/raw`, {
      route: '/repository/files/{path}/raw',
      query: { ref },
      signal,
    });
    return answer.status === 404 ? undefined : answer.orRefused().bytes;
  }

  async findBranch(
    place: HostPlace,
    branch: string,
    signal?: AbortSignal,
  ): Promise<{ sha: string } | undefined> {
    const path = `/repository/branches/${encodeURIComponent(branch)}`;
    const answer = await this.ask(place, path, { route: '/repository/branches/{branch}', signal });
    const sha = answer.status === 404 ? undefined : textAt(answer.orRefused().json, 'commit', 'id');
    return sha === undefined ? undefined : { sha };
  }

  async compare(
    place: HostPlace,
    { base, head }: { base: string; head: string },
    signal?: AbortSignal,
  ): Promise<Comparison | undefined> {
    const query = { from: base, to: head };
    const answer = await this.ask(place, '/repository/compare', { query, signal });
    if (answer.status === 404) return undefined;
    const { json } = answer.orRefused();
    const refs = `refs[]=${encodeURIComponent(base)}&refs[]=${encodeURIComponent(head)}`;
    const common = await this.ask(place, `/repository/merge_base?${refs}`, {
      route: '/repository/merge_base',
      signal,
    });
    return {
      files: presentItems(listAt(json, 'diffs').map(toChangedFile)),
      isTruncated: flagAt(json, 'compare_timeout'),
      mergeBaseSha: common.isSuccess ? (textAt(common.json, 'id') ?? '') : '',
    };
  }

  async findPullRequest(
    place: HostPlace,
    number: number,
    { awaitMergeable = false } = {},
    signal?: AbortSignal,
  ): Promise<HostPullRequest | undefined> {
    for (let tries = 1; ; tries += 1) {
      const call = { route: '/merge_requests/{n}', signal };
      const pull = found(await this.ask(place, `/merge_requests/${number}`, call), toPullRequest);
      const isKnown = pull === undefined || pull.state !== 'open' || pull.isMergeable !== null;
      if (!awaitMergeable || isKnown || tries >= MERGEABLE_TRIES) return pull;
      await delay(MERGEABLE_PAUSE_MS * tries, undefined, signal ? { signal } : {});
    }
  }

  async listChangedFiles(place: HostPlace, number: number, signal?: AbortSignal): Promise<ChangedFiles> {
    const files = [];
    let isTruncated = false;
    const call = {
      path: projectPath(place, `/merge_requests/${number}/diffs`),
      route: '/projects/{id}/merge_requests/{n}/diffs',
      signal,
    };
    for await (const answer of this.api.pages(place.installation, call)) {
      files.push(...presentItems(itemsOf(answer).map(toChangedFile)));
      isTruncated ||= answer.headers.get('x-total')?.endsWith('+') === true;
    }
    return { files, isTruncated };
  }

  async listReviews(place: HostPlace, number: number, signal?: AbortSignal): Promise<HostReview[]> {
    const call = { route: '/merge_requests/{n}/approvals', signal };
    const answer = await this.ask(place, `/merge_requests/${number}/approvals`, call);
    const approvals = listAt(answer.orRefused().json, 'approved_by');
    if (approvals.length === 0) return [];
    const self = await this.readSelf(place.installation, signal);
    const heads = await this.listHeads(place, number, signal);
    return presentItems(
      approvals.map((json) => {
        const username = wordAt(json, 'user', 'username');
        if (idAt(json, 'user', 'id') === self.id || username === self.username) return undefined;
        const submittedAt = dateAt(json, 'approved_at') ?? null;
        // GitLab drops approvals of older commits only where the project wants that.
        const head = submittedAt && heads.find(({ since }) => since <= submittedAt);
        const sha = head?.sha ?? null;
        return username === undefined ? undefined : { username, state: 'approved', sha, submittedAt };
      }),
    );
  }

  /** Heads that a merge request had, the newest first; none where the provider does not say. */
  private async listHeads(
    place: HostPlace,
    number: number,
    signal?: AbortSignal,
  ): Promise<{ sha: string; since: Date }[]> {
    const path = `/merge_requests/${number}/versions`;
    const answer = await this.ask(place, path, { route: '/merge_requests/{n}/versions', signal });
    if ([403, 404].includes(answer.status)) return [];
    const heads = itemsOf(answer.orRefused()).flatMap((json) => {
      const sha = textAt(json, 'head_commit_sha');
      const since = dateAt(json, 'created_at');
      return sha === undefined || since === undefined ? [] : [{ sha, since }];
    });
    return heads.toSorted((a, b) => b.since.getTime() - a.since.getTime());
  }

  /** The newest 100 pushes of the project; an event that stands for many branches names no commit. */
  async findPusher(
    place: HostPlace,
    { branch, sha }: { branch: string; sha: string },
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const answer = await this.ask(place, '/events', { query: { action: 'pushed', per_page: 100 }, signal });
    if ([403, 404].includes(answer.status)) return undefined;
    const push = itemsOf(answer.orRefused()).find(
      (json) => textAt(json, 'push_data', 'ref') === branch && textAt(json, 'push_data', 'commit_to') === sha,
    );
    return wordAt(push, 'author', 'username') ?? wordAt(push, 'author_username');
  }

  protected async findUserId(
    installation: HostInstallation,
    username: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const answer = await this.api.send(installation, { path: '/users', query: { username }, signal });
    return idAt(itemsOf(answer.orRefused())[0], 'id');
  }

  protected async write(
    place: HostPlace,
    method: 'POST' | 'PUT',
    rest: string,
    call: Omit<GitlabCall, 'path' | 'method'>,
  ): Promise<ProviderAnswer> {
    return (await this.ask(place, rest, { ...call, method })).orRefused();
  }

  protected async ask(
    place: HostPlace,
    rest: string,
    { route = rest, ...call }: Omit<GitlabCall, 'path'>,
  ): Promise<ProviderAnswer> {
    return this.api.send(place.installation, {
      ...call,
      path: projectPath(place, rest),
      route: `/projects/{id}${route}`,
    });
  }
}

/** The items of a list. An answer that is no list is refused: an empty list would say that everything is gone. */
export function itemsOf({ json }: ProviderAnswer): readonly unknown[] {
  if (!Array.isArray(json)) throw vcsErrors.PROVIDER_REFUSED('the code host did not answer with a list');
  return json;
}

/** Undefined for what the provider does not have. */
export function found<T>(answer: ProviderAnswer, map: (json: unknown) => T | undefined): T | undefined {
  return answer.status === 404 ? undefined : map(answer.orRefused().json);
}
