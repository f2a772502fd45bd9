import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RunningService, startService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

const README = join(__dirname, '..', '..', 'README.md');
const run = promisify(execFile);

/** The commands of "Five minutes to the first apply", as they stand. */
function firstApply(): string {
  const text = readFileSync(README, 'utf8');
  const section = /<!-- first-apply:begin[\s\S]*?```sh\n([\s\S]*?)```\n<!-- first-apply:end -->/.exec(
    text,
  )?.[1];
  if (section === undefined) throw new Error('README.md lost its first-apply section');
  return section;
}

describeWith('terraform', 'The first five minutes of the README', () => {
  let service: RunningService;
  let folder: string;

  beforeAll(async () => {
    service = await startService();
    folder = mkdtempSync(join(tmpdir(), 'readme-'));
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lead from an empty service to an applied state that can be asked', async () => {
    const script = firstApply().replace('http://localhost:8080', service.url);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' },
      maxBuffer: 1 << 22,
    });
    expect(stdout).toContain('Apply complete! Resources: 3 added');
    const answers = stdout.slice(stdout.indexOf('{"results"'));
    expect(answers).toContain(
      '"address":"terraform_data.server[1]","resource_address":"terraform_data.server","direction":"blast","distance":1',
    );
    expect(answers).toContain('{"instances":3,"resources":2,"modules":1,"providers":1,"edges":2}');
  });
});
