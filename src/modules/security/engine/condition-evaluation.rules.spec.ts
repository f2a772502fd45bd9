import fc from 'fast-check';
import { type Attributes, type Json, UNKNOWN } from './attribute-path.rules.js';
import { evaluate, NOTHING_LINKED, readsOf } from './condition-evaluation.rules.js';
import * as c from './condition.js';
import { lookupAmong } from './example-lookup.js';
import { wildcardCovers } from './policy-statements.rules.js';

const of = (condition: c.Condition, attributes: Attributes, type = 'aws_x'): boolean | undefined =>
  evaluate(condition, { type, attributes }, NOTHING_LINKED);

const path = fc.constantFrom('a', 'a.0.b', 'a.b', 'b', 'b.c', '', 'a.1', '__proto__', 'constructor.name');
const scalar = fc.oneof(
  fc.constantFrom('', 'true', '22', 'x', '*', '::/0'),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const leaf: fc.Arbitrary<c.Condition> = fc.oneof(
  fc.record({ a: path, op: fc.constantFrom(...c.COMPARISONS), v: fc.oneof(scalar, fc.array(scalar)) }),
  path.map((p) => c.world(p)),
  path.map((p) => c.azureWorld(p)),
  path.map((p) => c.azurePorts([22], p)),
  path.map((p) => c.googlePorts([22], p)),
  path.map((p) => c.coversPorts([22], { from: p, to: p, protocol: p })),
  path.map((p) =>
    c.policyHas(p, { effect: 'Allow', principal: '*', action: '*', resource: '*', noCondition: true }),
  ),
  fc.tuple(path, fc.boolean()).map(([p, base64]) => c.holdsSecret(p, { base64 })),
  path.map((p) => c.containsAll(p, ['x'])),
  path.map((p) => c.durationOver(p, 90)),
  path.map((p) => c.imageWithoutTag(p)),
  path.map((p) => c.present(p)),
  path.map((p) => c.matches(p, '(a+)+$')),
  path.map((p) => c.linked({ types: ['aws_y'], via: p })),
  fc.constant(c.always),
);
const { condition } = fc.letrec<{ condition: c.Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('condition'), { maxLength: 3 }).map((parts) => c.any(...parts)),
    fc.array(tie('condition'), { maxLength: 3 }).map((parts) => c.all(...parts)),
    tie('condition').map(c.not),
    fc.tuple(path, tie('condition')).map(([p, where]) => c.some(p, where)),
    fc.tuple(path, tie('condition')).map(([p, where]) => c.someContainer(p, where)),
    tie('condition').map(c.podSpec),
    tie('condition').map(c.podContainers),
  ),
}));
const json = fc.oneof(fc.jsonValue(), fc.constant(UNKNOWN)) as fc.Arbitrary<Json>;
const attributes = fc.oneof(
  fc.dictionary(fc.constantFrom('a', 'b', 'spec', '__proto__'), json),
  fc.record({ a: fc.array(fc.record({ b: json })), b: json }),
);

describe('Evaluating conditions', () => {
  it('is total on any JSON', () => {
    fc.assert(
      fc.property(condition, attributes, fc.constantFrom('aws_x', 'kubernetes_pod'), (given, on, type) => {
        expect([true, false, undefined]).toContain(of(given, on, type));
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps its verdict whatever an unknown value turns out to be', () => {
    // `a` is unknown as a whole: a definite answer must hold for every value it may have.
    fc.assert(
      fc.property(condition, json, json, (given, hidden, other) => {
        const verdict = of(given, { a: UNKNOWN, b: other });
        if (verdict === undefined) return;
        const actual = of(given, { a: hidden, b: other });
        if (actual !== undefined) expect(actual).toBe(verdict);
      }),
      { numRuns: 3_000 },
    );
  });

  it('answers conditions nested 1,000 deep', () => {
    let deep: c.Condition = c.isTrue('a');
    for (let level = 0; level < 1_000; level++) deep = c.not(deep);
    expect(of(deep, { a: true })).toBe(true);
  });

  it('searches a catastrophic pattern in linear time', () => {
    expect(of(c.matches('a', '^(a+)+$'), { a: `${'a'.repeat(100_000)}b` })).toBe(false);
  });

  it('stops searching when the patterns of one condition have searched enough', () => {
    const text = 'a'.repeat(100_000);
    const many = (count: number): c.Condition =>
      c.any(...Array.from({ length: count }, () => c.matches('a', 'b')));
    expect(of(many(2), { a: text })).toBe(false);
    expect(of(many(500), { a: text })).toBeUndefined();
    expect(
      of(c.some('a', c.matches('', 'b')), { a: Array.from({ length: 500 }, () => text) }),
    ).toBeUndefined();
  });

  it('treats a masked value as unknown, and a block as its only element', () => {
    expect(of(c.notTrue('a.0.b'), { a: UNKNOWN })).toBeUndefined();
    expect(of(c.isTrue('a.0.b'), { a: { b: 'true' } })).toBe(true);
    expect(of(c.isTrue('a.b'), { a: [{ b: true }] })).toBe(true);
  });

  it('cannot tell whether a resource is linked that may name it in an unknown value', () => {
    const bare = c.linked({ types: ['aws_y'], via: 'bucket' });
    const subject = { type: 'aws_x', attributes: { id: 'b' } };
    const look = (value: string): boolean | undefined =>
      evaluate(bare, subject, lookupAmong([{ type: 'aws_y', attributes: { bucket: value } }]));
    expect([look('b'), look('other'), look(UNKNOWN)]).toEqual([true, false, undefined]);
  });

  it('names what a condition reads', () => {
    expect(
      readsOf(
        c.all(c.some('ingress', c.world('cidr_blocks')), c.linked({ types: ['aws_y'], via: 'bucket' })),
      ),
    ).toEqual({
      attributes: ['ingress', 'ingress.cidr_blocks'],
      links: [{ type: 'aws_y', via: 'bucket', attributes: [] }],
    });
  });

  it('matches wildcards of actions', () => {
    expect(wildcardCovers('iam:*', 'iam:passrole')).toBe(true);
    expect(wildcardCovers('iam:pass*e', 'iam:passrole')).toBe(true);
    expect(wildcardCovers('s3:*', 'iam:passrole')).toBe(false);
    expect(wildcardCovers('*'.repeat(50) + 'x', 'a'.repeat(10_000))).toBe(false);
  });
});
