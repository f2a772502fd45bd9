// How to write a check
// --------------------
// Add one file, `src/modules/security/checks/<provider>/<id in lower case>.check.ts`; nothing else needs an edit:
//
//   import { defineCheck } from '../../engine/check.js';
//   import { notTrue } from '../../engine/condition.js';
//
//   export default defineCheck({
//     id: 'AWS-S3-001',                  // <PROVIDER>-<AREA>-<3 digits> (area optional); never reused for another check
//     title: 'S3 public access block must set block_public_acls',   // what must hold, in our own words
//     severity: 'high',                  // critical | high | medium | low | info
//     category: 'public-access',         // one of CATEGORIES
//     exposure: true,                    // only where the check is itself about exposure to the internet
//     cis: '2.1.4',                      // section of the CIS benchmark, if any
//     aliases: ['AVD-AWS-0086', 'CKV_AWS_53'],  // Trivy ids with AVD-, Checkov ids; each belongs to one check only
//     types: ['aws_s3_bucket_public_access_block'],
//     when: …,                           // optional: the check applies only where this is true
//     fail: notTrue('block_public_acls'),// true makes the finding; false and unknown make none
//     remediation: 'Set block_public_acls = true.',  // names the argument to change
//     failing: [{}, { block_public_acls: false }],   // at least one each; they are the check's unit test
//     passing: [{ block_public_acls: true }],
//   });
//
// An example is the attributes of an instance of the first type, as a state document has them (nested blocks are
// lists). `example({...})` gives another type, or other resources of the tenant for `linked`:
//   passing: [example({ attributes: { id: 'b' }, others: [{ type: 'aws_s3_bucket_logging', attributes: { bucket: 'b' } }] })]
//
// Combinators (engine/condition.ts), with the word of the rule language that each stands for:
//   values     eq ne eqi | isIn(in) notIn(nin) isInIgnoringCase(ini) | greaterThan(gt) atLeast(ge) lessThan(lt)
//              atMost(le) lessThanOrAbsent(lt_or_absent) | contains matches(regex, RE2 syntax)
//   booleans   isTrue(true) notTrue(nottrue) isFalse(false) notFalse(notfalse) truthy notTruthy(nottruthy) falsy
//   presence   isEmpty(empty) notEmpty(notempty) present always ofType(rtype)
//   logic      any(...) all(...) not(c) some(path, where); `self` is the empty path: some('shared_accounts', eq('', 'all'))
//   network    world(...paths) coversPorts(ports, {from, to, protocol}) azureWorld(...paths)
//              azurePorts(ports, ...paths) googlePorts(ports, path)
//   documents  policyHas(path, {effect, principal?, action?, exactAction?, resource?, noCondition?, service?})
//              holdsSecret(path, {base64?}) someContainer(path, where)(containers) containsAll(path, values)
//              durationOver(path, days)(durationGt) imageWithoutTag(path)(imagetag)
//   kubernetes podSpec(c)(podspec) podContainers(c)(podcontainers)
//   others     linked({types, via, where?}): a resource in any state of the tenant whose attribute `via` is an id of this one
// Paths: names joined by dots, `0` for the first block of a list ('settings.0.ip_configuration.0.ipv4_enabled'). Absent,
// null and the provider's default mean the same: choose notTrue or notFalse by what the provider's default is.
// Values that are masked, or that a plan does not know, are unknown and never make a finding.
import type { Attributes } from './attribute-path.rules.js';
import type { ScannedResource } from './condition-evaluation.rules.js';
import type { Condition } from './condition.js';

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const CATEGORIES = [
  'network-exposure',
  'public-access',
  'encryption',
  'encryption-transit',
  'identity',
  'secrets',
  'hardening',
  'logging',
  'resilience',
  'hygiene',
] as const;
export type Category = (typeof CATEGORIES)[number];

export const CHECK_PROVIDERS = ['aws', 'azure', 'gcp', 'kubernetes', 'github'] as const;
export type CheckProvider = (typeof CHECK_PROVIDERS)[number];

export interface Check {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly category: Category;
  /** The check is itself about exposure: it matters less where the resource is shown not to be reachable. */
  readonly exposure?: boolean;
  readonly cis?: string;
  readonly aliases: readonly string[];
  readonly types: readonly string[];
  readonly when?: Condition;
  readonly fail: Condition;
  readonly remediation: string;
}

/** A check of a file, with the examples that are its unit test. */
export interface DefinedCheck extends Check {
  readonly failing: readonly (Attributes | CheckExample)[];
  readonly passing: readonly (Attributes | CheckExample)[];
}

export class CheckExample {
  constructor(
    readonly attributes: Attributes,
    readonly type: string | undefined,
    readonly others: readonly ScannedResource[],
  ) {}
}

/** An example of another type than the check's first, or with other resources of the tenant beside it. */
export function example(of: {
  attributes: Attributes;
  type?: string;
  others?: readonly ScannedResource[];
}): CheckExample {
  return new CheckExample(of.attributes, of.type, of.others ?? []);
}

export function defineCheck(check: DefinedCheck): DefinedCheck {
  return check;
}
