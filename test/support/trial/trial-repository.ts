import type { BareRepository } from '../code-hosts/bare-repository.js';
import { wholeSeconds } from '../code-hosts/github-repository-routes.js';
import type { GithubRepository, GithubStandIn } from '../code-hosts/github-stand-in.js';
import type { GitlabProject, GitlabStandIn } from '../code-hosts/gitlab-stand-in.js';
import type { StandInServer } from '../code-hosts/stand-in-server.js';
import { HostedGithubRepository } from '../hosted/github-repository.js';
import { HostedGitlabRepository } from '../hosted/gitlab-repository.js';
import type { HostedRepository } from '../hosted/hosted-repository.js';

/** Who pushes, opens pull requests and comments. */
export const PERSON = 'ada';
/** Who approves: nobody approves a change of their own. */
export const REVIEWER = 'grace';
/** Who may comment. */
const PEOPLE: readonly string[] = [PERSON, REVIEWER];

/** The name of a form's field `as`; nobody named is the person in front of the page. */
export function speaker(name: string | null): string {
  if (name !== null && !PEOPLE.includes(name)) throw new Error(`as must be ${PEOPLE.join(' or ')}`);
  return name ?? PERSON;
}

export interface TrialPull {
  number: number;
  title: string;
  branch: string;
  state: string;
}

export interface TrialJob {
  runId: string;
  ref: string;
  inputs: Record<string, string>;
  /** what the CI sets in the environment of its job */
  env: Record<string, string>;
  isCancelled(): boolean;
  end(isSuccess: boolean): void;
}

/** A repository of a stand-in as a person uses it: pushes to it, opens pull requests, comments, merges. */
export interface TrialRepository {
  readonly host: StandInServer;
  readonly hosted: HostedRepository;
  readonly git: BareRepository;
  /** organization or group, and name */
  readonly path: string;
  /** what the provider calls a pull request */
  readonly noun: string;
  /** between the path of a repository and the number of a pull request */
  readonly pullsPath: string;
  readonly workflowFile: string;
  pulls(): TrialPull[];
  open(branch: string, title: string): Promise<number>;
  comments(number: number): { user: string; body: string }[];
  say(number: number, text: string, username: string): Promise<void>;
  /** Merges and sends the webhooks. */
  merge(number: number): Promise<void>;
  /** A branch has a new head. */
  pushed(branch: string): Promise<void>;
  jobs(): TrialJob[];
}

export class TrialGithubRepository implements TrialRepository {
  readonly noun = 'pull request';
  readonly pullsPath = 'pull';
  readonly workflowFile = '.github/workflows/infrastate.yml';
  readonly hosted: HostedGithubRepository;

  constructor(
    readonly host: GithubStandIn,
    private readonly repository: GithubRepository,
    service: { url: string },
  ) {
    this.hosted = new HostedGithubRepository(host, repository, service, () => Promise.resolve());
  }

  get git(): BareRepository {
    return this.repository.git;
  }

  get path(): string {
    return `${this.repository.owner}/${this.repository.name}`;
  }

  pulls(): TrialPull[] {
    return this.repository.pulls.map(({ number, title, branch, state, mergedSha }) => ({
      number,
      title,
      branch,
      state: mergedSha === null ? state : 'merged',
    }));
  }

  async open(branch: string, title: string): Promise<number> {
    const pull = this.host.addPull(this.repository, branch, {}, PERSON);
    pull.title = title;
    await this.hosted.announce(pull.number, 'opened');
    return pull.number;
  }

  comments(number: number): { user: string; body: string }[] {
    return this.repository.comments.filter((comment) => comment.number === number);
  }

  async say(number: number, body: string, username: string): Promise<void> {
    const id = this.host.nextId();
    const writtenAt = new Date();
    this.repository.comments.push({ id, number, body, user: username, createdAt: wholeSeconds(writtenAt) });
    await this.hosted.comment(number, body, { username, id, writtenAt });
  }

  async merge(number: number): Promise<void> {
    const pull = this.repository.pulls.find((each) => each.number === number);
    if (pull?.state !== 'open') return;
    await this.hosted.merge(number);
    await this.hosted.pushed();
  }

  async pushed(branch: string): Promise<void> {
    this.repository.pushes.push({ branch, sha: this.git.sha(branch) ?? '', user: PERSON });
    if (branch === this.git.defaultBranch) await this.hosted.pushed();
    for (const { number } of this.pulls().filter((pull) => pull.branch === branch && pull.state === 'open'))
      await this.hosted.announce(number, 'updated', { sender: PERSON });
  }

  jobs(): TrialJob[] {
    return this.repository.runs.map((run) => ({
      runId: String(run.id),
      ref: run.ref,
      inputs: run.inputs,
      env: { GITHUB_RUN_ID: String(run.id) },
      isCancelled: () => run.conclusion === 'cancelled',
      end: (isSuccess) => {
        if (run.status !== 'completed')
          Object.assign(run, { status: 'completed', conclusion: isSuccess ? 'success' : 'failure' });
      },
    }));
  }
}

export class TrialGitlabRepository implements TrialRepository {
  readonly noun = 'merge request';
  readonly pullsPath = '-/merge_requests';
  readonly workflowFile = '.gitlab-ci.yml';
  readonly hosted: HostedGitlabRepository;
  /** of the group; empty until somebody enters it */
  readonly webhook = { url: '', secret: '' };

  constructor(
    readonly host: GitlabStandIn,
    private readonly project: GitlabProject,
  ) {
    this.hosted = new HostedGitlabRepository(host, project, this.webhook, () => Promise.resolve());
  }

  get git(): BareRepository {
    return this.project.git;
  }

  get path(): string {
    return this.project.path;
  }

  pulls(): TrialPull[] {
    return this.project.mergeRequests.map(({ iid, title, branch, state }) => ({
      number: iid,
      title,
      branch,
      state: state === 'opened' ? 'open' : state,
    }));
  }

  async open(branch: string, title: string): Promise<number> {
    const request = this.host.addMergeRequest(this.project, branch, {}, PERSON);
    request.title = title;
    await this.hosted.announce(request.iid, 'opened', { sender: PERSON });
    return request.iid;
  }

  comments(number: number): { user: string; body: string }[] {
    const notes = this.project.mergeRequests.find(({ iid }) => iid === number)?.notes ?? [];
    return notes.map(({ author, body }) => ({ user: author, body }));
  }

  async say(number: number, text: string, username: string): Promise<void> {
    await this.hosted.comment(number, text, { username });
  }

  async merge(number: number): Promise<void> {
    const request = this.project.mergeRequests.find(({ iid }) => iid === number);
    if (request?.state !== 'opened') return;
    await this.hosted.merge(number);
    await this.hosted.pushed();
  }

  async pushed(branch: string): Promise<void> {
    this.project.pushes.push({ branch, sha: this.git.sha(branch) ?? '', user: PERSON });
    const file = this.git.file(branch, this.workflowFile)?.toString() ?? '';
    const known = ['work_token', 'api_base_url', 'environment', 'runs_on'];
    this.project.declaredInputs.splice(0, Infinity, ...known.filter((name) => file.includes(`${name}:`)));
    if (this.webhook.url === '') return;
    if (branch === this.git.defaultBranch) await this.hosted.pushed();
    for (const { number } of this.pulls().filter((pull) => pull.branch === branch && pull.state === 'open'))
      await this.hosted.announce(number, 'updated', { sender: PERSON });
  }

  jobs(): TrialJob[] {
    return this.project.pipelines.map((pipeline) => ({
      runId: String(pipeline.id),
      ref: pipeline.ref,
      inputs: pipeline.inputs,
      env: this.host.jobEnvironment(this.project, pipeline),
      isCancelled: () => pipeline.status === 'canceled',
      end: (isSuccess) => {
        if (pipeline.status !== 'canceled') pipeline.status = isSuccess ? 'success' : 'failed';
      },
    }));
  }
}
