import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CATEGORIES, CheckExample, CHECK_PROVIDERS, SEVERITIES } from '../engine/check.js';
import { CheckRegistry, type ProvidedCheck } from '../engine/check-registry.js';
import type { Attributes } from '../engine/attribute-path.rules.js';
import { evaluate, readsOf } from '../engine/condition-evaluation.rules.js';
import { lookupAmong } from '../engine/example-lookup.js';
import type { Truth } from '../engine/truth.rules.js';

const { checks } = new CheckRegistry();

const PREFIXES = {
  aws: ['AWS', /^aws_/],
  azure: ['AZURE', /^azurerm_/],
  gcp: ['GCP', /^google_/],
  kubernetes: ['KUBERNETES', /^kubernetes_/],
  github: ['GITHUB', /^github_/],
} as const;

function outcome(check: ProvidedCheck, given: Attributes | CheckExample): Truth {
  const example = given instanceof CheckExample ? given : new CheckExample(given, undefined, []);
  const subject = { type: example.type ?? check.types[0] ?? '', attributes: example.attributes };
  const lookup = lookupAmong(example.others);
  if (check.when !== undefined && evaluate(check.when, subject, lookup) !== true) return false;
  return evaluate(check.fail, subject, lookup);
}

const PLACEHOLDER =
  /\b(TODO|TBD|FIXME|xxx|foo|bar|lorem|placeholder|another value|matching value|other value|a resource of your own)\b/i;
/** Words of titles that are names of their own. */
const PROPER_NOUNS = new Set(
  'Access Authorization Binary Bus Container Entra Function Gateway Google Insights Kubernetes Login Logs Lustre Manager Performance Private Registry Run Terraform'.split(
    ' ',
  ),
);

/** What a remediation may name: the arguments that the check reads, types that it looks for, and its own types. */
function namesOf(check: ProvidedCheck): string[] {
  const reads = [check.fail, ...(check.when === undefined ? [] : [check.when])].map(readsOf);
  return [
    ...reads
      .flatMap(({ attributes }) => attributes.flatMap((path) => path.split('.')))
      .filter((name) => !/^\d*$/.test(name)),
    ...reads.flatMap(({ links }) => links.map(({ type }) => type)),
    ...('rtype' in check.fail ? check.types : []),
    // Members of policy documents, and entries of a Kubernetes pod.
    ...['Principal', 'Action', 'Resource'].filter(() => JSON.stringify(check.fail).includes('"statement"')),
  ];
}

describe('Built-in checks', () => {
  it('has a check in every file of the folder, named by its id', () => {
    const files = CHECK_PROVIDERS.flatMap((provider) =>
      readdirSync(join(__dirname, provider)).map((name) => `${provider}/${name}`),
    );
    expect(files.sort()).toEqual(
      checks.map(({ id, provider }) => `${provider}/${id.toLowerCase()}.check.ts`).sort(),
    );
  });

  it('uses each id and each alias once', () => {
    const ids = checks.flatMap((check) => [check.id, ...check.aliases]);
    const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
    expect(repeated).toEqual([]);
  });

  describe.each(checks.map((check) => [check.id, check] as const))('%s', (id, check) => {
    it('every check has a complete description', () => {
      const [prefix, typePattern] = PREFIXES[check.provider];
      expect(id).toMatch(new RegExp(`^${prefix}(-[A-Z0-9]{2,6})?-\\d{3}$`));
      expect(SEVERITIES).toContain(check.severity);
      expect(CATEGORIES).toContain(check.category);
      expect(check.types.length).toBeGreaterThan(0);
      expect(new Set(check.types).size).toBe(check.types.length);
      for (const type of check.types) expect(type).toMatch(typePattern);
      for (const alias of check.aliases)
        expect(alias).toMatch(/^(AVD-[A-Z]{2,4}-\d{4}|CKV2?_[A-Z0-9]+_\d+)$/);
      const known = new Set([...check.types]);
      for (const { type } of readsOf(check.fail).links) {
        expect(type).toMatch(typePattern);
        expect(known.has(type) && check.types.length === 1).toBe(false);
      }
    });

    it('says in one sentence what must hold, and which argument to change', () => {
      expect(check.title).toMatch(/^[A-Z][^;]* must (not )?[a-z][^;]*[^.;]$/);
      expect(check.title.length).toBeLessThanOrEqual(80);
      expect(check.remediation).toMatch(
        /^(Set|Add|Remove|Replace|Narrow|Name|List|Use|Grant) [^;]*(; [^;]*)?\.$/,
      );
      expect(`${check.title} ${check.remediation}`).not.toMatch(PLACEHOLDER);
      const capitalized = check.title
        .split(' ')
        .slice(1)
        .filter((word) => /^[A-Z][a-z]+$/.test(word));
      expect(capitalized.filter((word) => !PROPER_NOUNS.has(word))).toEqual([]);
      const named = namesOf(check).filter((name) =>
        new RegExp(`(?<![a-z0-9_])${name}(?![a-z0-9_])`, 'i').test(check.remediation),
      );
      expect(named).not.toEqual([]);
    });

    it('fails and passes its examples', () => {
      expect(check.failing.length).toBeGreaterThan(0);
      expect(check.passing.length).toBeGreaterThan(0);
      const results = (list: typeof check.failing): unknown[] =>
        list.filter((given) => outcome(check, given) === true);
      expect(results(check.failing)).toEqual(check.failing);
      expect(results(check.passing)).toEqual([]);
    });
  });
});
