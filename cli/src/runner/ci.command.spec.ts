import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { parseAllDocuments } from 'yaml';
import type { Run } from '../commands/command.js';
import type { Context } from '../context/context.js';
import { registerCi } from './ci.command.js';

/** What `infrastate ci` prints with these arguments. */
async function printed(...args: string[]): Promise<string> {
  let text = '';
  const context = { streams: { stdout: { write: (part: string) => (text += part) } } } as unknown as Context;
  const program = new Command();
  const run: Run =
    (action) =>
    async (...parameters) => {
      await action(context, program.args.slice(1), (parameters as [unknown, never])[1]);
    };
  registerCi(program, run);
  await program.parseAsync(['ci', ...args], { from: 'user' });
  return text;
}

const jobOf = (text: string): Record<string, unknown> => {
  const document = parseAllDocuments(text).at(-1)?.toJS() as {
    jobs?: { infrastate: Record<string, unknown> };
    infrastate?: Record<string, unknown>;
  };
  return document.jobs?.infrastate ?? document.infrastate ?? {};
};

describe('The files of infrastate ci', () => {
  const image = '$CI_REGISTRY/infrastate-runner:1';

  it.each(['github', 'gitlab'])('of %s stand in the documentation', async (provider) => {
    const docs = readFileSync('docs/runs.md', 'utf8');
    const shown = new RegExp(
      `infrastate ci ${provider} --image ([\\w$./:-]+)\`\\):\n\n\`{3}yaml\n(.*?)\`{3}\n`,
      's',
    );
    const [, name = '', file] = shown.exec(docs) ?? [];
    expect(file).toBe(await printed(provider, '--image', name));
  });

  it('run the client in the image that is named', async () => {
    const [github, gitlab] = [
      jobOf(await printed('github', '--image', image)),
      jobOf(await printed('gitlab', '--image', image)),
    ];
    expect(github).toMatchObject({ container: image, steps: [{ run: 'infrastate run' }] });
    expect(gitlab).toMatchObject({ image: { name: image, entrypoint: [''] }, script: ['infrastate run'] });
  });

  it('say where the client comes from when no image is named', async () => {
    for (const provider of ['github', 'gitlab'])
      expect(await printed(provider)).toContain('"Give the job its programs" in docs/runs.md');
    const github = jobOf(await printed('github'));
    expect(github['container']).toBeUndefined();
    expect(github['steps']).toMatchObject([
      { uses: 'hashicorp/setup-terraform@v3' },
      { run: 'infrastate run' },
    ]);
  });

  it.each(["x'", 'a b', '-x', 'x\ny: z'])('refuse the image %j', async (name) => {
    await expect(printed('gitlab', `--image=${name}`)).rejects.toThrow('--image must look like');
  });

  const jobsOf = (text: string) =>
    Object.entries(parseAllDocuments(text).at(-1)?.toJS() as Record<string, Job>).map(([name, job]) => ({
      name,
      ...job,
    }));
  interface Job {
    rules: { if: string }[];
    extends?: string;
    tags?: string[];
    environment?: { name: string };
  }
  /** As GitLab puts inputs into the file. */
  const withInputs = (text: string, inputs: Record<string, string>) =>
    text.replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => inputs[name] ?? '');
  /** Of rules that only compare texts. */
  const holds = (rule: string) =>
    rule.split(' && ').every((part) => {
      const [, left, operator, right] = /^"(.*)" (==|!=) "(.*)"$/.exec(part) ?? [];
      return operator === '==' ? left === right : operator === '!=' && left !== right;
    });

  it.each([
    ['neither', {}, {}],
    ['an environment', { environment: 'live' }, { environment: { name: '$INFRASTATE_ENVIRONMENT' } }],
    ['a tag', { runs_on: 'large' }, { tags: ['large'] }],
    [
      'both',
      { environment: 'live', runs_on: 'large' },
      { environment: { name: '$INFRASTATE_ENVIRONMENT' }, tags: ['large'] },
    ],
  ])('start one job of GitLab with %s', async (_, inputs, expected) => {
    const file = withInputs(await printed('gitlab'), { work_token: 't', api_base_url: 'u', ...inputs });
    const started = jobsOf(file).filter(({ rules }) => rules.some((rule) => holds(rule.if)));
    expect(started).toHaveLength(1);
    const [{ environment, tags, extends: base, name } = {} as never] = started;
    expect({ environment, tags }).toEqual({ environment: undefined, tags: undefined, ...expected });
    expect(base ?? name).toBe('infrastate');
    const variables = { INFRASTATE_ENVIRONMENT: 'environment' in inputs ? inputs.environment : null };
    expect(jobOf(file)).toMatchObject({ variables });
    // An ordinary pipeline of the project starts none.
    const idle = jobsOf(withInputs(await printed('gitlab'), {}));
    expect(idle.filter(({ rules }) => rules.some((rule) => holds(rule.if)))).toEqual([]);
  });

  it('give the job of GitLab an id token for each cloud', async () => {
    const google =
      'https://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x';
    expect(jobOf(await printed('gitlab', '--audience', google, 'mine'))).toMatchObject({
      id_tokens: {
        INFRASTATE_ID_TOKEN: { aud: 'sts.amazonaws.com' },
        INFRASTATE_ID_TOKEN_AZURE: { aud: 'api://AzureADTokenExchange' },
        INFRASTATE_ID_TOKEN_1: { aud: google },
        INFRASTATE_ID_TOKEN_2: { aud: 'mine' },
      },
    });
    await expect(printed('github', '--audience', 'x')).rejects.toThrow('--audience is for gitlab');
    await expect(printed('gitlab', '--audience', "x'")).rejects.toThrow('--audience must look like');
  });
});
