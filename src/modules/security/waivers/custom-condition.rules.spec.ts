import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../platform/errors/index.js';
import type { Attributes } from '../engine/attribute-path.rules.js';
import { evaluate, type ScannedResource } from '../engine/condition-evaluation.rules.js';
import { lookupAmong } from '../engine/example-lookup.js';
import { parseCondition } from './custom-condition.rules.js';

const documented = readFileSync(join(__dirname, '..', '..', '..', '..', 'docs', 'security.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\{"(?:a|any|all|not|some|world|linked)"/.test(line));

interface Judged {
  type: string;
  failing: Attributes;
  passing: Attributes;
  /** what else the tenant has when the resource passes */
  beside?: ScannedResource[];
}

/** A resource that each documented condition finds and one that it does not, in the order of the document. */
const JUDGED: Judged[] = [
  { type: 'aws_instance', failing: { tags: { Name: 'web' } }, passing: { tags: { Owner: 'platform' } } },
  {
    type: 'aws_instance',
    failing: { tags: { Environment: 'production' } },
    passing: { tags: { Environment: 'prod' } },
  },
  {
    type: 'aws_instance',
    failing: { instance_type: 'p4d.24xlarge' },
    passing: { instance_type: 'xp4.large' },
  },
  {
    type: 'aws_cloudwatch_log_group',
    failing: { retention_in_days: '30' },
    passing: { retention_in_days: 90 },
  },
  {
    type: 'aws_db_instance',
    failing: { enabled_cloudwatch_logs_exports: ['error'] },
    passing: { enabled_cloudwatch_logs_exports: ['error', 'audit'] },
  },
  {
    type: 'aws_security_group',
    failing: {
      ingress: [
        { cidr_blocks: ['10.0.0.0/8'], from_port: 22 },
        { cidr_blocks: ['0.0.0.0/0'], from_port: 22 },
      ],
    },
    passing: {
      ingress: [
        { cidr_blocks: ['10.0.0.0/8'], from_port: 22 },
        { cidr_blocks: ['0.0.0.0/0'], from_port: 443 },
      ],
    },
  },
  {
    type: 'aws_db_instance',
    failing: { engine: 'mysql', storage_encrypted: false },
    passing: { engine: 'mysql', storage_encrypted: 'true' },
  },
  {
    type: 'aws_db_instance',
    failing: { deletion_protection: true, backup_retention_period: 6 },
    passing: { deletion_protection: true, backup_retention_period: 7 },
  },
  {
    type: 'aws_s3_bucket',
    failing: { id: 'data', bucket: 'data' },
    passing: { id: 'data', bucket: 'data' },
    beside: [{ type: 'aws_s3_bucket_versioning', attributes: { bucket: 'data' } }],
  },
  { type: 'aws_sqs_queue', failing: { name: 'Orders' }, passing: { name: 'orders-2' } },
];
/** Looked up by no example: one that takes any lookup for a match would find it. */
const ASIDE: ScannedResource[] = [{ type: 'aws_s3_bucket_versioning', attributes: { bucket: 'another' } }];

function refusal(value: unknown): string {
  try {
    parseCondition(value, 'fail');
  } catch (error) {
    if (error instanceof AppError) return `${error.status} ${error.message}`;
    throw error;
  }
  return 'taken';
}

describe('Conditions of custom checks', () => {
  it('has ten documented examples', () => {
    expect(documented).toHaveLength(10);
  });

  it.each(documented.map((line, at) => [line, JUDGED[at]] as const))(
    'find by %s what is documented, and nothing else',
    (line, judged) => {
      if (judged === undefined)
        throw new Error('a documented example needs a failing and a passing resource');
      const condition = parseCondition(JSON.parse(line), 'fail');
      expect(condition).toEqual(JSON.parse(line));
      const { type, failing, passing, beside = [] } = judged;
      expect([
        evaluate(condition, { type, attributes: failing }, lookupAmong(ASIDE)),
        evaluate(condition, { type, attributes: passing }, lookupAmong([...ASIDE, ...beside])),
      ]).toEqual([true, false]);
    },
  );

  it.each([
    [7, '400 fail must be a condition object'],
    [{}, '400 fail must have one of a, any, all, not, some, world, linked'],
    [{ a: 'x', op: 'like', v: 1 }, /^400 fail\.op must be one of/],
    [{ a: 'x', op: 'eq' }, '400 fail.v must be a text, a number, a boolean or null'],
    [{ a: 'x', op: 'gt', v: '7' }, '400 fail.v must be a number'],
    [{ a: 'x', op: 'regex', v: '(' }, '400 fail.v must be a regular expression (RE2 syntax)'],
    [
      { any: [{ a: 'x', op: 'true' }, { not: { a: 7, op: 'true' } }] },
      '400 fail.any[1].not.a must be a text',
    ],
    [{ a: 'x', op: 'true', extra: 1 }, '400 fail must have nothing besides a, op, v'],
    [{ secret: 'x', base64: false }, '400 fail must have one of a, any, all, not, some, world, linked'],
    [{ linked: { type: [], via: 'x' } }, '400 fail.linked.type must be a list of texts'],
    [{ world: Array.from({ length: 201 }, () => 'x') }, '400 fail.world exceeds 200 texts'],
    [{ a: 'x', op: 'in', v: Array.from({ length: 201 }, () => 1) }, '400 fail.v exceeds 200 values'],
  ])('refuses %j and names the place', (value, expected) => {
    const answer = refusal(value);
    if (typeof expected === 'string') expect(answer).toBe(expected);
    else expect(answer).toMatch(expected);
  });

  it('refuses conditions that are nested 1,000 deep, and too many of them', () => {
    let deep: unknown = { a: 'x', op: 'true' };
    for (let level = 0; level < 1_000; level++) deep = { not: deep };
    expect(refusal(deep)).toMatch(/exceeds 30 levels$/);
    expect(refusal({ any: Array.from({ length: 1_000 }, () => ({ a: 'x', op: 'true' })) })).toMatch(
      /exceeds 500 conditions$/,
    );
  });
});
