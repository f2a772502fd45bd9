import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { CheckRegistry, type ProvidedCheck } from '../engine/check-registry.js';
import type { Attributes } from '../engine/attribute-path.rules.js';
import { lookupAmong } from '../engine/example-lookup.js';
import { failingChecks } from '../findings/failing-checks.rules.js';

/**
 * Examples that other scanners publish with their checks, labelled by these scanners. Labels are per resource, or for the
 * whole example: failing when one of its resources fails. The file's first line names source and licence.
 */
const FILE = join(__dirname, '../../../../test/support/published-checks.ndjson.gz');
const MIN_EXAMPLES = 850;

interface Resource {
  type: string;
  name: string;
  attributes: Attributes;
}
interface Example {
  alias: string;
  source: string;
  whole?: 'fail' | 'pass';
  failing?: number[];
  passing?: number[];
  resources: Resource[];
}

const registry = new CheckRegistry();
const [, ...lines] = gunzipSync(readFileSync(FILE)).toString('utf8').trimEnd().split('\n');
const examples = lines.map((line) => JSON.parse(line) as Example);

function fails(check: ProvidedCheck, resource: Resource, { resources }: Example): boolean {
  const lookup = lookupAmong(resources.filter((other) => other !== resource));
  const onError = (): void => {
    throw new Error(`${check.id} threw`);
  };
  return (
    check.types.includes(resource.type) && failingChecks(resource, [check], { lookup, onError }).length > 0
  );
}

/** Pairs of what the other scanner says and what the check says. */
function verdicts(example: Example): { expected: boolean; found: boolean }[] {
  const check = registry.find(example.alias);
  if (check === undefined) throw new Error(`no check has the alias ${example.alias}`);
  const { resources } = example;
  if (example.whole !== undefined)
    return [
      {
        expected: example.whole === 'fail',
        found: resources.some((resource) => fails(check, resource, example)),
      },
    ];
  const of = (indexes: readonly number[] = [], expected: boolean) =>
    indexes.flatMap((index) => {
      const resource = resources[index];
      return resource === undefined ? [] : [{ expected, found: fails(check, resource, example) }];
    });
  return [...of(example.failing, true), ...of(example.passing, false)];
}

describe('Published examples of other scanners', () => {
  const all = examples.flatMap(verdicts);
  const count = (expected: boolean, found: boolean): number =>
    all.filter((verdict) => verdict.expected === expected && verdict.found === found).length;

  it('are many, and of most checks', () => {
    expect(examples.length).toBeGreaterThan(MIN_EXAMPLES);
    const seen = new Set(examples.map(({ alias }) => registry.find(alias)?.id));
    expect(seen.size).toBeGreaterThan(registry.checks.length * 0.85);
  });

  it('are found with a precision of at least 95 % and a recall of at least 90 %', () => {
    const hits = count(true, true);
    expect(hits / (hits + count(false, true))).toBeGreaterThan(0.95);
    expect(hits / (hits + count(true, false))).toBeGreaterThan(0.9);
  });
});
