import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';

/** A bare git repository on disk, with the questions that a code host answers from it. */
export class BareRepository {
  private isMade = false;

  constructor(
    private readonly path: string,
    /** changed by `changeDefaultBranch` */
    public defaultBranch = 'main',
  ) {}

  /** Made when it is first needed: thousands that nobody looks into cost nothing. */
  get directory(): string {
    if (this.isMade) return this.path;
    this.isMade = true;
    mkdirSync(dirname(this.path), { recursive: true });
    execFileSync('git', ['init', '-q', '--bare', `--initial-branch=${this.defaultBranch}`, this.path]);
    this.git('config', 'http.receivepack', 'true');
    this.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    return this.path;
  }

  /** To a branch that is made from the one before when it is new. */
  changeDefaultBranch(branch: string): void {
    if (this.sha(branch) === undefined) this.git('branch', branch, this.defaultBranch);
    this.git('symbolic-ref', 'HEAD', `refs/heads/${branch}`);
    this.defaultBranch = branch;
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.directory, ...args], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  /** Writes files (null removes one) on top of a branch, which is made from `from` when it is new. Answers the commit. */
  commit(
    branch: string,
    files: Record<string, string | { link: string } | null>,
    from = this.defaultBranch,
  ): string {
    const write = (path: string, mode: string, text: string) =>
      `M ${mode} inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}`;
    const parent = this.sha(branch) ?? (branch === from ? undefined : this.sha(from));
    const lines = [
      `commit refs/heads/${branch}`,
      `committer A Tester <tester@example.com> ${Math.floor(Date.now() / 1000)} +0000`,
      'data 6\nchange',
      ...(parent === undefined ? [] : [`from ${parent}`]),
      ...Object.entries(files).map(([path, file]) => {
        if (file === null) return `D ${path}`;
        return typeof file === 'string' ? write(path, '100644', file) : write(path, '120000', file.link);
      }),
      '',
    ];
    execFileSync('git', ['-C', this.directory, 'fast-import', '--quiet', '--force'], {
      input: lines.join('\n'),
    });
    return this.sha(branch) ?? '';
  }

  /** Replaces the files of a branch by a tree with any names and modes, also those that git itself refuses to write. */
  forge(
    branch: string,
    files: Record<string, { mode: string; text: string }>,
    from = this.defaultBranch,
  ): string {
    const parent = this.sha(branch) ?? this.sha(from) ?? '';
    const entries = Object.entries(files).map(([path, file]) => ({ names: path.split('/'), ...file }));
    const tree = this.forgeTree(entries);
    const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
    const commit = this.git(...author, 'commit-tree', tree, '-p', parent, '-m', 'forged').trim();
    this.git('update-ref', `refs/heads/${branch}`, commit);
    return commit;
  }

  private forgeTree(files: readonly { names: string[]; mode: string; text: string }[]): string {
    const byName = new Map<string, (typeof files)[number][]>();
    for (const file of files) {
      const [name = ''] = file.names;
      byName.set(name, [...(byName.get(name) ?? []), file]);
    }
    const entries = [...byName].map(([name, group]) => {
      const [file] = group;
      const isFile = file?.names.length === 1;
      const below = group.map(({ names, ...rest }) => ({ names: names.slice(1), ...rest }));
      const id = isFile ? this.storeObject('blob', Buffer.from(file.text)) : this.forgeTree(below);
      return { name, isFile, mode: isFile ? file.mode : '40000', id };
    });
    const order = ({ name, isFile }: (typeof entries)[number]) => Buffer.from(isFile ? name : `${name}/`);
    const tree = entries
      .toSorted((a, b) => order(a).compare(order(b)))
      .flatMap(({ name, mode, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
    return this.storeObject('tree', Buffer.concat(tree));
  }

  private storeObject(type: 'blob' | 'tree', content: Buffer): string {
    const args = ['-C', this.directory, 'hash-object', '-t', type, '-w', '--stdin', '--literally'];
    return execFileSync('git', args, { input: content, encoding: 'utf8' }).trim();
  }

  /** Of a branch or a commit. */
  sha(ref: string): string | undefined {
    try {
      return this.git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`).trim();
    } catch {
      return undefined;
    }
  }

  /** Merges `head` into `base` with a merge commit. Answers it. */
  merge(base: string, head: string): string {
    const tree = this.git('merge-tree', '--write-tree', base, head).trim();
    const commit = this.git(
      '-c',
      'user.name=t',
      '-c',
      'user.email=t@example.com',
      'commit-tree',
      tree,
      '-p',
      base,
      '-p',
      head,
      '-m',
      'merge',
    ).trim();
    this.git('update-ref', `refs/heads/${base}`, commit);
    return commit;
  }

  isMergeable(base: string, head: string): boolean {
    try {
      this.git('merge-tree', '--write-tree', base, head);
      return true;
    } catch {
      return false;
    }
  }

  mergeBase(base: string, head: string): string {
    return this.git('merge-base', base, head).trim();
  }

  tree(ref: string): { path: string; type: string; mode: string; sha: string }[] | undefined {
    const sha = this.sha(ref);
    if (sha === undefined) return undefined;
    return this.git('ls-tree', '-r', '-t', '-z', sha)
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => {
        const [, mode = '', type = '', id = '', path = ''] =
          /^(\d+) (\w+) ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
        return { path, type, mode, sha: id };
      });
  }

  file(ref: string, path: string): Buffer | undefined {
    try {
      return execFileSync('git', ['-C', this.directory, 'show', `${ref}:${path}`], {
        maxBuffer: 64 * 1024 * 1024,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch {
      return undefined;
    }
  }

  /** `status` is git's letter, `modes` those before and after. */
  changes(
    base: string,
    head: string,
    between: '..' | '...' = '...',
  ): { status: string; path: string; previousPath?: string; modes: [string, string] }[] {
    const fields = this.git('diff', '--raw', '-M', '-z', `${base}${between}${head}`).split('\0');
    const changes = [];
    for (let at = 0; at + 1 < fields.length;) {
      const [, before = '', after = '', status = ''] =
        /^:(\d+) (\d+) \S+ \S+ (\w+)$/.exec(fields[at] ?? '') ?? [];
      const modes: [string, string] = [before, after];
      if (status.startsWith('R')) {
        const [previousPath = '', path = ''] = fields.slice(at + 1, at + 3);
        changes.push({ status: 'R', previousPath, path, modes });
        at += 3;
      } else {
        changes.push({ status, path: fields[at + 1] ?? '', modes });
        at += 2;
      }
    }
    return changes;
  }

  /** Serves `git clone`, `fetch` and `push` by git's own http backend. */
  serve(request: IncomingMessage, response: ServerResponse, pathInfo: string): void {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_PROJECT_ROOT: this.directory,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathInfo,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        REMOTE_USER: 'tester',
      },
    });
    request.pipe(child.stdin);
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => void parts.push(part));
    child.stdout.on('end', () => {
      const answer = Buffer.concat(parts);
      const end = answer.indexOf('\r\n\r\n');
      const headers = answer.subarray(0, end).toString().split('\r\n');
      let status = 200;
      for (const line of headers) {
        const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
        if (name === 'Status') status = Number(value.split(' ')[0]);
        else if (name !== '') response.setHeader(name, value);
      }
      response.writeHead(status).end(answer.subarray(end + 4));
    });
  }
}
