import {
  refuse,
  type Route,
  type StandInAnswer,
  type StandInRequest,
} from '../code-hosts/stand-in-server.js';
import type { TrialCi } from './trial-ci.js';
import { PERSON, REVIEWER, speaker, type TrialPull, type TrialRepository } from './trial-repository.js';

/** What a form does, and the names of its fields. */
interface Action {
  fields: readonly string[];
  act: (form: URLSearchParams) => Promise<string>;
}

/** Pages of a repository for people with a browser, and the same as text for curl. */
export function trialPages(repository: TrialRepository, ci: TrialCi): Route[] {
  const { path, pullsPath } = repository;
  const one = `/${path}/${pullsPath}/(\\d+)`;
  const get = (pattern: string, handle: Route['handle']): Route => ({
    method: 'GET',
    path: new RegExp(`^${pattern}$`),
    handle,
  });
  const post = (pattern: string, act: (number: string) => Action): Route => ({
    method: 'POST',
    path: new RegExp(`^${pattern}$`),
    handle: (request, number = '') => answerForm(repository, request, act(number)),
  });
  const onPull =
    (act: (pull: TrialPull, form: URLSearchParams) => Promise<void>, fields: readonly string[] = []) =>
    (number: string): Action => ({
      fields,
      act: async (form) => {
        const pull = find(repository, number);
        if (!pull) throw new Error(`there is no ${repository.noun} ${number}`);
        await act(pull, form);
        return pullAddress(repository, pull.number);
      },
    });
  return [
    get('/', () => ({ status: 302, headers: { Location: `/${path}` } })),
    get(`/${path}`, (request) => repositoryPage(repository, request)),
    get(`/${path}/(?:${pullsPath}|pulls)/(\\d+)`, (request, number = '') => {
      const pull = find(repository, number);
      return pull ? pullPage(repository, pull, request) : refuse(404, 'Not Found');
    }),
    get('/(?:runs|pipelines)/(\\d+)', (_request, id = '') => ({
      text: ci.outputOf(repository, id) ?? `There is no job ${id}.\n`,
    })),
    post(`/${path}/(?:pulls|${pullsPath})`, () => ({
      fields: ['branch', 'title'],
      act: async (form) => {
        const branch = form.get('branch') ?? '';
        if (repository.git.sha(`refs/heads/${branch}`) === undefined)
          throw new Error(`there is no branch ${branch}; push it first`);
        const number = await repository.open(
          branch,
          form.get('title') || repository.git.git('log', '-1', '--format=%s', branch).trim(),
        );
        return pullAddress(repository, number);
      },
    })),
    post(
      `${one}/comments`,
      onPull(
        async ({ number }, form) => {
          const [body, username] = [form.get('body') ?? '', speaker(form.get('as'))];
          if (body.trim() === '') throw new Error('body must not be empty');
          await repository.say(number, body, username);
        },
        ['body', 'as'],
      ),
    ),
    post(
      `${one}/approve`,
      onPull(({ number }) => Promise.resolve(repository.hosted.approvals(number, [REVIEWER]))),
    ),
    post(
      `${one}/merge`,
      onPull(({ number }) => repository.merge(number)),
    ),
    post(
      `${one}/close`,
      onPull(({ number }) => repository.hosted.close(number)),
    ),
  ];
}

/** Back to the page after a form; curl shows the address. */
export async function answerForm(
  { host }: Pick<TrialRepository, 'host'>,
  { headers, form }: StandInRequest,
  { fields, act }: Action,
): Promise<StandInAnswer> {
  // A page of another site must not command anything here.
  if (headers.origin !== undefined && headers.origin !== host.url) return refuse(403, 'Forbidden');
  try {
    const unknown = [...form.keys()].filter((name) => !fields.includes(name));
    if (unknown.length > 0)
      throw new Error(
        `unknown parameter ${unknown.join(', ')}; this form has: ${fields.join(', ') || 'none'}`,
      );
    const address = await act(form);
    return { status: 303, headers: { Location: address }, text: `${host.url}${address}\n` };
  } catch (error) {
    return { status: 409, text: `${error instanceof Error ? error.message : String(error)}\n` };
  }
}

function pullAddress({ path, pullsPath }: TrialRepository, number: number): string {
  return `/${path}/${pullsPath}/${number}`;
}

function find(repository: TrialRepository, number: string): TrialPull | undefined {
  return repository.pulls().find((pull) => pull.number === Number(number));
}

function repositoryPage(repository: TrialRepository, request: StandInRequest): StandInAnswer {
  const { git, host, path, noun } = repository;
  const branches = git
    .git('for-each-ref', '--format=%(refname:short)', 'refs/heads')
    .split('\n')
    .filter((branch) => branch !== '' && branch !== git.defaultBranch);
  const pulls = repository.pulls().toReversed();
  const clone = `git clone ${host.url.replace('://', `://${[...host.gitLogins][0] ?? ''}@`)}/git/${path}.git`;
  if (!wantsHtml(request))
    return {
      text: [clone, ...pulls.map(({ number, title, state }) => `#${number} ${state} ${title}`), ''].join(
        '\n',
      ),
    };
  const options = branches.map((branch) => `<option>${escaped(branch)}</option>`).join('');
  return document(
    path,
    `<p>Clone it: <code>${escaped(clone)}</code></p><ul>${pulls
      .map(
        ({ number, title, state }) =>
          `<li><a href="${pullAddress(repository, number)}">#${number} ${escaped(title)}</a> (${state})</li>`,
      )
      .join('')}</ul>`,
    options === ''
      ? `<p>Push a branch to open a ${noun}.</p>`
      : `<form method="post" action="/${path}/pulls"><label>Branch <select name="branch">${options}</select></label>
<label>Title <input name="title"></label> <button>Open a ${noun}</button></form>`,
  );
}

function pullPage(repository: TrialRepository, pull: TrialPull, request: StandInRequest): StandInAnswer {
  const { git, hosted, path } = repository;
  const statuses = Object.entries(hosted.statuses(git.sha(pull.branch) ?? ''));
  const comments = repository
    .comments(pull.number)
    .map(({ user, body }) => ({ user, body: body.replaceAll(/<!--[^]*?-->\n?/g, '').trim() }));
  const title = `#${pull.number} ${pull.title} (${pull.state})`;
  const lines = statuses.map(([name, { state, description }]) =>
    `${name}: ${state} ${description}`.trimEnd(),
  );
  if (!wantsHtml(request))
    return {
      text: [title, ...lines, ...comments.map(({ user, body }) => `\n${user}:\n${body}`), ''].join('\n'),
    };
  const address = pullAddress(repository, pull.number);
  const button = (action: string, label: string) =>
    `<form method="post" action="${address}/${action}"><button>${label}</button></form>`;
  return document(
    `${path} ${title}`,
    `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>${comments
      .map(({ user, body }) => `<h2>${escaped(user)}</h2><pre>${escaped(body)}</pre>`)
      .join('')}`,
    `<form method="post" action="${address}/comments"><textarea name="body" rows="4" cols="60"></textarea><br>
<button name="as" value="${PERSON}">Comment as ${PERSON}</button>
<button name="as" value="${REVIEWER}">Comment as ${REVIEWER}</button></form>${button('approve', `Approve as ${REVIEWER}`)}${button('merge', 'Merge')}${button('close', 'Close')}
<p><a href="/${path}">${path}</a></p>`,
  );
}

function wantsHtml({ headers }: StandInRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

/** `live` is replaced every two seconds, `forms` stay as they are. */
export function document(title: string, live: string, forms = ''): StandInAnswer {
  return {
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<style>body{font:16px system-ui;margin:2rem auto;max-width:60rem}pre{background:#f4f4f4;padding:1rem;overflow:auto}form{margin:.5rem 0}</style></head>
<body><h1>${escaped(title)}</h1><main>${live}</main>${forms}
<script>setInterval(async () => {
  const page = new DOMParser().parseFromString(await (await fetch(location.href, { headers: { Accept: 'text/html' } })).text(), 'text/html');
  for (const part of ['h1', 'main']) document.querySelector(part).innerHTML = page.querySelector(part).innerHTML;
}, 2000)</script></body></html>`,
  };
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
