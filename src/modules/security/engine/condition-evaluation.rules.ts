import { type Attributes, elementsOf, type Json, textOf, UNKNOWN, valueAt } from './attribute-path.rules.js';
import { compare, equals, type SearchBudget } from './comparisons.rules.js';
import type { Condition, LinkedPattern } from './condition.js';
import {
  awsRuleCovers,
  googlePortsCover,
  isAzureWorld,
  isWorldCidr,
  portTextCovers,
  someText,
} from './network-match.rules.js';
import { parseJson, policyMatches } from './policy-statements.rules.js';
import { holdsCredential } from './secret-text.rules.js';
import { everyTruth, notTruth, someTruth, type Truth } from './truth.rules.js';

/** One instance, as conditions see it. */
export interface ScannedResource {
  readonly type: string;
  readonly attributes: Attributes;
}

/** What of the tenant names an instance in an attribute. */
export interface LinkedResources {
  readonly found: Iterable<ScannedResource>;
  /** true when a resource of these types may name the instance in a value that is unknown */
  readonly incomplete: boolean;
}

export type LinkedLookup = (
  subject: ScannedResource,
  types: readonly string[],
  via: string,
) => LinkedResources;

/** Nothing else is known of the tenant. */
export const NOTHING_LINKED: LinkedLookup = () => ({ found: [], incomplete: false });

/**
 * Evaluates a condition: true, false, or undefined when an unknown value decides. Total on any JSON, and pure but for
 * the lookup.
 */
export function evaluate(condition: Condition, subject: ScannedResource, lookup: LinkedLookup): Truth {
  return new Evaluation(subject, lookup, { searched: 0 }).test(condition, subject.attributes);
}

class Evaluation {
  constructor(
    private readonly subject: ScannedResource,
    private readonly lookup: LinkedLookup,
    private readonly budget: SearchBudget,
  ) {}

  test(condition: Condition, scope: Json): Truth {
    if ('a' in condition) return compare(condition.op, valueAt(scope, condition.a), condition.v, this.budget);
    if ('any' in condition) return someTruth(condition.any, (part) => this.test(part, scope));
    if ('all' in condition) return everyTruth(condition.all, (part) => this.test(part, scope));
    if ('not' in condition) return notTruth(this.test(condition.not, scope));
    if ('some' in condition) return this.someElement(valueAt(scope, condition.some), condition.where);
    if ('linked' in condition) return this.isLinked(condition.linked);
    if ('rtype' in condition) return condition.rtype.includes(this.subject.type);
    if ('always' in condition) return true;
    if ('podspec' in condition) return this.someElement(this.podSpec(), condition.podspec);
    if ('podcontainers' in condition) return this.someContainer(condition.podcontainers);
    if ('containers' in condition)
      return this.someListed(valueAt(scope, condition.containers), condition.where);
    return testValue(condition, scope);
  }

  private someElement(value: Json | undefined, where: Condition): Truth {
    if (value === UNKNOWN) return undefined;
    return someTruth(elementsOf(value), (element) =>
      element === UNKNOWN ? undefined : this.test(where, element),
    );
  }

  private someListed(value: Json | undefined, where: Condition): Truth {
    return value === UNKNOWN ? undefined : this.someElement(parseJson(value), where);
  }

  private isLinked(pattern: LinkedPattern): Truth {
    const { found, incomplete } = this.lookup(this.subject, pattern.type, pattern.via);
    const { where } = pattern;
    const truth =
      where === undefined
        ? someTruth(found, () => true)
        : someTruth(found, (other) =>
            new Evaluation(other, NOTHING_LINKED, this.budget).test(where, other.attributes),
          );
    return truth === false && incomplete ? undefined : truth;
  }

  private podSpec(): Json | undefined {
    const { type, attributes } = this.subject;
    if (/^kubernetes_pod(_v\d)?$/.test(type)) return valueAt(attributes, 'spec');
    if (/^kubernetes_cron_job(_v\d)?$/.test(type))
      return valueAt(attributes, 'spec.0.job_template.0.spec.0.template.0.spec');
    return valueAt(attributes, 'spec.0.template.0.spec');
  }

  private someContainer(where: Condition): Truth {
    const spec = this.podSpec();
    if (spec === UNKNOWN) return undefined;
    return someTruth(elementsOf(spec), (pod) =>
      someTruth(['container', 'init_container'], (name) => this.someElement(valueAt(pod, name), where)),
    );
  }
}

type ValueCondition = Exclude<
  Condition,
  | { a: string }
  | { any: unknown }
  | { all: unknown }
  | { not: unknown }
  | { some: unknown }
  | { linked: unknown }
  | { rtype: unknown }
  | { always: true }
  | { podspec: unknown }
  | { podcontainers: unknown }
  | { containers: unknown }
>;

/** Conditions that need nothing but the values at their paths. */
function testValue(condition: ValueCondition, scope: Json): Truth {
  const at = (path: string): Json | undefined => valueAt(scope, path);
  if ('world' in condition) return someText(condition.world.map(at), isWorldCidr);
  if ('ports' in condition)
    return awsRuleCovers(condition.ports, {
      from: at(condition.from),
      to: at(condition.to),
      protocol: at(condition.proto),
    });
  if ('policy' in condition) return policyMatches(at(condition.policy), condition.statement);
  if ('azworld' in condition) return someText(condition.azworld.map(at), isAzureWorld);
  if ('azports' in condition)
    return someText(condition.azports.map(at), (text) => portTextCovers(text, condition.v));
  if ('gcpports' in condition) return googlePortsCover(at(condition.gcpports), condition.v);
  if ('secret' in condition) return holdsCredential(at(condition.secret), { base64: condition.base64 });
  if ('present' in condition)
    return at(condition.present) === UNKNOWN ? undefined : at(condition.present) !== undefined;
  if ('containsAll' in condition) return holdsAll(at(condition.containsAll), condition.v);
  if ('durationOver' in condition) return isLongerThan(at(condition.durationOver), condition.days);
  return isUntagged(at(condition.imagetag));
}

function holdsAll(value: Json | undefined, wanted: readonly (string | number | boolean | null)[]): Truth {
  if (value === UNKNOWN) return undefined;
  return everyTruth(wanted, (item) =>
    someTruth(elementsOf(value), (element) => (element === UNKNOWN ? undefined : equals(element, item))),
  );
}

const SECONDS_PER_DAY = 86_400;

function isLongerThan(value: Json | undefined, days: number): Truth {
  if (value === UNKNOWN) return undefined;
  const seconds = /^(\d{1,15}(?:\.\d{1,9})?)s$/.exec(textOf(value) ?? '')?.[1];
  return seconds === undefined || Number(seconds) > days * SECONDS_PER_DAY;
}

function isUntagged(value: Json | undefined): Truth {
  if (value === UNKNOWN) return undefined;
  const image = textOf(value);
  if (image === undefined || image === '' || image.includes('@')) return false;
  const tag = /:([^:/]*)$/.exec(image.slice(image.lastIndexOf('/') + 1))?.[1];
  return tag === undefined || tag === '' || tag === 'latest';
}

/** The attributes that a condition reads, and the types that it looks for, by which attribute, and what it reads of them. */
export function readsOf(condition: Condition): {
  attributes: string[];
  links: { type: string; via: string; attributes: string[] }[];
} {
  const attributes = new Set<string>();
  const links: { type: string; via: string; attributes: string[] }[] = [];
  const visit = (part: Condition, inside: string): void => {
    const add = (path: string): void => {
      if (path !== '') attributes.add(inside === '' ? path : `${inside}.${path}`);
    };
    if ('any' in part) for (const one of part.any) visit(one, inside);
    else if ('all' in part) for (const one of part.all) visit(one, inside);
    else if ('not' in part) visit(part.not, inside);
    else if ('some' in part) {
      add(part.some);
      visit(part.where, inside === '' ? part.some : `${inside}.${part.some}`);
    } else if ('linked' in part) {
      const { type: types, via, where } = part.linked;
      const read = where === undefined ? [] : readsOf(where).attributes;
      for (const type of types) links.push({ type, via, attributes: read });
    } else if ('podspec' in part) visit(part.podspec, 'spec');
    else if ('podcontainers' in part) visit(part.podcontainers, 'container');
    else if ('containers' in part) visit(part.where, part.containers);
    else for (const path of pathsIn(part)) add(path);
  };
  visit(condition, '');
  return { attributes: [...attributes].sort(), links };
}

function pathsIn(part: Condition): readonly string[] {
  if ('a' in part) return [part.a];
  if ('world' in part) return part.world;
  if ('azworld' in part) return part.azworld;
  if ('azports' in part) return part.azports;
  if ('ports' in part) return [part.from, part.to, part.proto];
  for (const key of [
    'policy',
    'secret',
    'present',
    'containsAll',
    'durationOver',
    'imagetag',
    'gcpports',
  ] as const)
    if (key in part) return [(part as Record<string, unknown>)[key] as string];
  return [];
}
