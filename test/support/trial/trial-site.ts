import { setTimeout as delay } from 'node:timers/promises';
import { GithubStandIn } from '../code-hosts/github-stand-in.js';
import { GitlabStandIn } from '../code-hosts/gitlab-stand-in.js';
import { TrialCi } from './trial-ci.js';
import { answerForm, document, escaped, trialPages } from './trial-pages.js';
import {
  PERSON,
  REVIEWER,
  TrialGithubRepository,
  TrialGitlabRepository,
  type TrialRepository,
} from './trial-repository.js';

const FILES = { 'network/main.tf': 'resource "terraform_data" "network" {\n  input = "10.0.0.0/16"\n}\n' };
const MAINTAINER = 40;
const OWNER = 50;

export interface TrialOptions {
  /** address of the service, as browsers and webhooks reach it */
  service: string;
  githubPort: number;
  gitlabPort: number;
  /** script of the client */
  client: string;
  report: (line: string) => void;
}

/** A GitHub organization and a GitLab group for a person who wants to try the service without a code host. */
export class TrialSite {
  private readonly github = new GithubStandIn();
  private readonly gitlab = new GitlabStandIn();
  private ci: TrialCi | undefined;
  private isStopped = false;
  groupId = 0;
  groupToken = '';

  constructor(private readonly options: TrialOptions) {}

  get environment(): Record<string, string> {
    return {
      SERVICE_ORCHESTRATION_ENABLED: 'true',
      ...this.github.environment,
      ...this.gitlab.environment,
    };
  }

  get urls(): { github: string; gitlab: string } {
    return { github: this.github.url, gitlab: this.gitlab.url };
  }

  async start(): Promise<void> {
    const { githubPort, gitlabPort, client, report } = this.options;
    await this.github.start({ port: githubPort, name: 'localhost' });
    await this.gitlab.start({ port: gitlabPort, name: 'localhost' });
    const github = this.makeGithub();
    const gitlab = this.makeGitlab();
    for (const host of [this.github, this.gitlab]) host.continueIdsFrom(Date.now());
    const repositories = [github, gitlab];
    this.ci = new TrialCi(repositories, client, report);
    for (const repository of repositories) {
      repository.host.pages.push(...trialPages(repository, this.ci));
      repository.host.gitLogins.add(`${PERSON}:${PERSON}`);
      this.watchPushes(repository);
    }
    this.ci.start();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.ci?.stop();
    await this.github.stop();
    await this.gitlab.stop();
  }

  private makeGithub(): TrialGithubRepository {
    const { github } = this;
    github.addPerson(PERSON, { acme: 'admin' });
    github.addPerson(REVIEWER, { acme: 'member' });
    const installation = github.install('acme');
    const repository = github.addRepository('acme', 'infra', FILES);
    repository.permissions.set(PERSON, 'admin').set(REVIEWER, 'write');
    github.pages.push({
      method: 'GET',
      path: /^\/apps\/infrastate$/,
      handle: () => document('infrastate', `<p>The app is installed in the organization acme.</p>`),
    });
    void this.announceInstallation(installation.id);
    return new TrialGithubRepository(github, repository, { url: this.options.service });
  }

  /** The service starts after this site, because it needs its settings. */
  private async announceInstallation(id: number): Promise<void> {
    const { service, report } = this.options;
    while (!this.isStopped) {
      const { ok } = await fetch(`${service}/health/ready`).catch(() => ({ ok: false }));
      if (ok) break;
      await delay(1000);
    }
    if (this.isStopped) return;
    const payload = { action: 'created', installation: { id } };
    const status = await this.github.deliver({ url: service }, 'installation', payload).catch(() => 0);
    report(
      status === 200
        ? 'the service is ready and knows the installation of the app'
        : `the service answered ${status} to a webhook: start it with the settings above`,
    );
  }

  private makeGitlab(): TrialGitlabRepository {
    const { gitlab } = this;
    gitlab.addUser(PERSON);
    gitlab.addUser(REVIEWER);
    const group = gitlab.addGroup('platform', { [PERSON]: OWNER, [REVIEWER]: MAINTAINER });
    this.groupId = group.id;
    this.groupToken = gitlab.addGroupToken(group.id);
    const repository = new TrialGitlabRepository(gitlab, gitlab.addProject(group.id, 'infra', FILES));
    const form = `<form method="post" action="/groups/platform/-/hooks"><label>URL <input name="url" size="60"></label>
<label>Secret <input name="secret" size="60"></label> <button>Add the webhook</button></form>`;
    gitlab.pages.push(
      {
        method: 'GET',
        path: /^\/groups\/platform\/-\/hooks$/,
        handle: () =>
          document(
            'Webhook of the group platform',
            `<p>Webhook: ${escaped(repository.webhook.url || 'none')}</p>
<p>Group id: ${group.id}. Group access token: <code>${this.groupToken}</code></p>`,
            `${form}<p><a href="/${repository.path}">${repository.path}</a></p>`,
          ),
      },
      {
        method: 'POST',
        path: /^\/groups\/platform\/-\/hooks$/,
        handle: (request) =>
          answerForm(repository, request, {
            fields: ['url', 'secret'],
            act: (form) => {
              const [url = '', secret = ''] = ['url', 'secret'].map((name) => form.get(name) ?? '');
              if (!URL.canParse(url) || secret === '') throw new Error('a webhook needs a URL and a secret');
              Object.assign(repository.webhook, { url, secret });
              return Promise.resolve('/groups/platform/-/hooks');
            },
          }),
      },
    );
    return repository;
  }

  private watchPushes(repository: TrialRepository): void {
    const heads = () =>
      new Map(
        repository.git
          .git('for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => line.split(' ') as [string, string]),
      );
    let known = heads();
    repository.host.onPush = () => {
      const now = heads();
      const changed = [...now].filter(([branch, sha]) => known.get(branch) !== sha);
      known = now;
      void this.announcePushes(
        repository,
        changed.map(([branch]) => branch),
      );
    };
  }

  private async announcePushes(repository: TrialRepository, branches: readonly string[]): Promise<void> {
    for (const branch of branches)
      try {
        await repository.pushed(branch);
      } catch (error) {
        this.options.report(`webhook of the push to ${branch}: ${String(error)}`);
      }
  }
}
