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
});
