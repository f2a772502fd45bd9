import { type ExplainedKey, explainConfig, unmatchedDependencies } from '../../repo-config/index.js';
import type { Change } from '../planning/changes.js';
import { fenced } from '../reporting/comment-text.rules.js';

const MAX_TEXT = 50_000;
const MAX_UNMATCHED_TEXT = 2_000;
const INTRODUCTION =
  'The configuration that counts for this pull request, and the branch that each key comes from (`default`: from none):';

/** The reply to `infrastate repo-config`: one line for each key, below the keys that it belongs to. */
export function configurationText({
  config,
  given,
  all,
  place,
  refusal,
}: Pick<Change, 'config' | 'given' | 'all' | 'refusal'> & {
  place: { repository: { defaultBranch: string | null } };
}): string {
  const branches = config.destination_branches ?? [place.repository.defaultBranch ?? ''];
  const lines = linesOf(explainConfig({ ...config, destination_branches: branches }, given));
  const introduction =
    refusal === undefined ? INTRODUCTION : `Nothing is run: ${refusal}.\n\n${INTRODUCTION}`;
  const text = `${introduction}\n\n${fenced(lines.join('\n').slice(0, MAX_TEXT), 'yaml')}`;
  const unmatched = unmatchedDependencies(all);
  if (unmatched.length === 0) return text;
  return `${text}\n\nEntries of \`depends_on\` that match no directory, so that nothing waits for them:\n\n${fenced(unmatched.join('\n').slice(0, MAX_UNMATCHED_TEXT))}`;
}

function linesOf(keys: readonly ExplainedKey[]): string[] {
  const lines: string[] = [];
  let before: readonly string[] = [];
  for (const { path, value, origin } of keys) {
    const parents = path.slice(0, -1);
    const shared = parents.findIndex((key, depth) => before[depth] !== key);
    for (let depth = shared === -1 ? parents.length : shared; depth < parents.length; depth++)
      lines.push(`${'  '.repeat(depth)}${parents[depth]}:`);
    lines.push(`${'  '.repeat(parents.length)}${path.at(-1)}: ${JSON.stringify(value)}  # ${origin}`);
    before = parents;
  }
  return lines;
}
