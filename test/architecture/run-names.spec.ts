import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const documents = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => join('docs', name))]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));

describe('Every document that says how Terraform gets its key', () => {
  it('says how the run gets its name', () => {
    const withKey = documents.filter(({ text }) => text.includes('TF_HTTP_PASSWORD'));
    expect(withKey.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['README.md', 'docs/access.md', 'docs/backend.md', 'docs/cli.md']),
    );
    const silent = withKey.filter(({ text }) => !text.includes('TF_HTTP_USERNAME=run-$CI_JOB_ID'));
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});
