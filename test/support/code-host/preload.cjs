// Loaded with `node -r` before the service: puts a code host of bare git repositories in the place of the providers', and
// a control server beside the service that tells it what webhooks would tell, and hands out what it has posted.
const { execFileSync } = require('node:child_process');
const { createServer } = require('node:http');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const ROOT = join(__dirname, '..', '..', '..', 'dist');
const GIT_ROOT = process.env.TEST_CODE_HOST_ROOT;

const state = {
  pulls: {},
  comments: [],
  reactions: [],
  statuses: {},
  dispatches: [],
  cancelled: [],
  merged: [],
  reviews: {},
  roles: {},
  requests: 0,
  dispatchResult: undefined,
  failing: false,
};
const key = ({ repository }, number) => `${repository.name}#${number}`;
const git = (name, ...args) =>
  execFileSync('git', ['--git-dir', join(GIT_ROOT, `${name}.git`), ...args], { maxBuffer: 1e9 });
const lines = (buffer) => buffer.toString().split('\0').filter(Boolean);

const shaOf = (name, ref) => git(name, 'rev-parse', '--verify', `${ref}^{commit}`).toString().trim();

const host = {
  provider: 'github',
  maxCommentLength: 65536,
  async readTree({ repository }, ref) {
    return {
      isTruncated: false,
      entries: lines(git(repository.name, 'ls-tree', '-r', '-z', ref)).map((line) => {
        const [meta, path] = line.split('\t');
        const [mode, type, id] = meta.split(' ');
        return { path, type, mode, id };
      }),
    };
  },
  async readFile({ repository }, { path, ref }) {
    return git(repository.name, 'show', `${ref}:${path}`);
  },
  async findBranch({ repository }, branch) {
    return { sha: shaOf(repository.name, `refs/heads/${branch}`) };
  },
  async findPullRequest(place, number) {
    const pull = state.pulls[key(place, number)];
    if (!pull) return undefined;
    const { name } = place.repository;
    return {
      number,
      title: 'A change',
      username: 'author',
      isDraft: false,
      isFork: false,
      isMergeable: true,
      mergedAt: null,
      mergedSha: null,
      closedAt: null,
      createdAt: new Date(0),
      updatedAt: new Date(),
      state: 'open',
      ...pull,
      sha: shaOf(name, `refs/heads/${pull.branch}`),
      baseSha: shaOf(name, `refs/heads/${pull.baseBranch}`),
    };
  },
  async listChangedFiles(place, number) {
    const { branch, baseBranch } = state.pulls[key(place, number)];
    const files = lines(git(place.repository.name, 'diff', '--name-only', '-z', `${baseBranch}...${branch}`));
    return { isTruncated: false, files: files.map((path) => ({ path, status: 'modified' })) };
  },
  async listReviews(place, number) {
    return (state.reviews[key(place, number)] ?? []).map((review) => ({
      ...review,
      submittedAt: new Date(),
    }));
  },
  async requestReviewers() {},
  async mergePullRequest(place, number, options) {
    state.merged.push({ number, ...options });
    return true;
  },
  async createComment(place, number, text) {
    state.comments.push({ repository: place.repository.name, number, text });
    return String(state.comments.length);
  },
  async updateComment(place, { id }, text) {
    state.comments[Number(id) - 1].text = text;
  },
  async addReaction(place, comment, reaction) {
    state.reactions.push({ id: comment.id, reaction });
  },
  async setStatus(place, sha, { context, state: value, description }) {
    (state.statuses[sha] ??= {})[context] = { state: value, description };
  },
  async listStatuses(place, sha) {
    return Object.entries(state.statuses[sha] ?? {}).map(([context, status]) => ({ context, ...status }));
  },
  async findRole(place, username) {
    return state.roles[username] ?? 'none';
  },
  async isTeamMember(installation, { team, username }) {
    return username === `member-of-${team}`;
  },
  async dispatch(place, request) {
    if (state.dispatchResult) return state.dispatchResult;
    state.dispatches.push({ repository: place.repository.name, ...request });
    return { result: 'dispatched', runId: null, webUrl: null };
  },
  async listRuns() {
    return [];
  },
  async findRun() {
    return undefined;
  },
  async cancelRun(place, runId) {
    state.cancelled.push(runId);
  },
  async readCloneCredentials({ repository }) {
    return {
      cloneUrl: `file://${join(GIT_ROOT, `${repository.name}.git`)}`,
      username: 'x-access-token',
      password: 'clone-password-of-the-test',
    };
  },
};

const counted = new Proxy(host, {
  get(target, name) {
    const member = target[name];
    if (typeof member !== 'function') return member;
    return async (...parameters) => {
      state.requests++;
      if (state.failing) {
        const { vcsErrors } = require(join(ROOT, 'modules/vcs/index.js'));
        throw vcsErrors.PROVIDER_UNAVAILABLE();
      }
      return member(...parameters);
    };
  },
});

if (isMainThread) install();

function install() {
  require('reflect-metadata');
  const vcs = require(join(ROOT, 'modules/vcs/index.js'));
  vcs.CodeHosts.prototype.of = () => counted;
  const boot = vcs.CodeEventHandlers.prototype.onApplicationBootstrap;
  vcs.CodeEventHandlers.prototype.onApplicationBootstrap = function onApplicationBootstrap() {
    boot.call(this);
    createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        void answer(this, request.url, body === '' ? {} : JSON.parse(body)).then(
          (value) => response.end(JSON.stringify(value ?? null)),
          (error) => {
            response.statusCode = 500;
            response.end(JSON.stringify({ error: error.stack }));
          },
        );
      });
    }).listen(Number(process.env.TEST_CODE_HOST_PORT), '127.0.0.1');
  };
}

const revived = (row) =>
  row &&
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, /At$/.test(name) && value ? new Date(value) : value]),
  );

async function answer(handlers, url, body) {
  if (url === '/state') return state;
  if (url === '/set') return void Object.assign(state, body);
  if (url === '/pull') return void (state.pulls[body.key] = { ...state.pulls[body.key], ...body.pull });
  if (url === '/event') {
    const { kind, event } = body;
    for (const name of ['installation', 'repository', 'pullRequest'])
      if (event[name]) event[name] = revived(event[name]);
    return handlers.dispatch(kind, event);
  }
  throw new Error(`no ${url}`);
}
