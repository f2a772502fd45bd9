import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { CheckRegistry, type ProvidedCheck } from '../engine/check-registry.js';
import type { ScannedResource } from '../engine/condition-evaluation.rules.js';
import { lookupAmong } from '../engine/example-lookup.js';
import { failingChecks } from './failing-checks.rules.js';

/**
 * Examples that Trivy and Checkov publish with their checks, by the aliases of ours. `differs` marks those where our check
 * says something else: mostly examples that Terraform or the cloud refuses, or that leave the deciding value open. The
 * file's first line names sources and licences.
 */
const FILE = join(__dirname, '../../../../test/support/published-checks.ndjson.gz');

interface Resource extends ScannedResource {
  name: string;
}
interface Example {
  source: 'trivy' | 'checkov';
  check: string;
  resources: Resource[];
}
/** The example as a whole is good or bad, or single resources of it are. */
type Case = Example &
  (
    | { expect: 'fail' | 'pass'; differs: boolean }
    | { fail: string[]; pass: string[]; differs: string[]; expect?: undefined }
  );

/** One thing that a publisher says, and what our check says. */
interface Judgement {
  name: string;
  shouldFail: boolean;
  fails: boolean;
  differedBefore: boolean;
}

const [, ...lines] = gunzipSync(readFileSync(FILE)).toString('utf8').trimEnd().split('\n');
const cases = lines.map((line) => JSON.parse(line) as Case);
const registry = new CheckRegistry();

function checkOf(alias: string): ProvidedCheck {
  const check = registry.find(alias);
  if (check === undefined) throw new Error(`no check has the alias ${alias}`);
  return check;
}

function judgementsOf(example: Case, at: number): Judgement[] {
  const check = checkOf(example.check);
  const lookup = lookupAmong(example.resources);
  const onError = (_check: unknown, error: unknown): never => {
    throw error;
  };
  const failing = new Set(
    example.resources
      .filter((resource) => check.types.includes(resource.type))
      .filter((resource) => failingChecks(resource, [check], { lookup, onError }).length > 0)
      .map(({ type, name }) => `${type}.${name}`),
  );
  const prefix = `${at} ${example.source} ${example.check} ${check.id}`;
  if (example.expect !== undefined)
    return [
      {
        name: prefix,
        shouldFail: example.expect === 'fail',
        fails: failing.size > 0,
        differedBefore: example.differs,
      },
    ];
  return [...example.fail, ...example.pass].map((address) => ({
    name: `${prefix} ${address}`,
    shouldFail: example.fail.includes(address),
    fails: failing.has(address),
    differedBefore: example.differs.includes(address),
  }));
}

describe('Examples that other scanners publish', () => {
  const judgements = cases.flatMap(judgementsOf);
  const count = (shouldFail: boolean, fails: boolean): number =>
    judgements.filter((one) => one.shouldFail === shouldFail && one.fails === fails).length;

  it('are many, of most checks', () => {
    expect(judgements.length).toBeGreaterThanOrEqual(1_400);
    expect(new Set(cases.map(({ check }) => checkOf(check).id)).size).toBeGreaterThanOrEqual(200);
  });

  it('are judged as before', () => {
    const news = judgements.filter((one) => one.fails !== one.shouldFail && !one.differedBefore);
    expect(news.map(({ name }) => name)).toEqual([]);
  });

  it('are judged with a precision of 98 % and a recall of 92 %', () => {
    const found = count(true, true);
    expect(found / (found + count(false, true))).toBeGreaterThanOrEqual(0.98);
    expect(found / (found + count(true, false))).toBeGreaterThanOrEqual(0.92);
  });
});
