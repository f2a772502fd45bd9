import { Registry } from 'prom-client';
import { type Check } from '../engine/check.js';
import { NOTHING_LINKED } from '../engine/condition-evaluation.rules.js';
import type { Condition } from '../engine/condition.js';
import { isTrue, policyHas } from '../engine/condition.js';
import { CheckFailures } from './check-failures.js';
import { failingChecks } from './failing-checks.rules.js';

function aCheck(id: string, fail: Condition): Check {
  return {
    id,
    title: 'A thing must hold',
    severity: 'low',
    category: 'hygiene',
    aliases: [],
    types: ['aws_x'],
    fail,
    remediation: 'Set a = false.',
  };
}

describe('Checks that fail on an instance', () => {
  const subject = { type: 'aws_x', attributes: { a: true, canary: 'canary-1' } };

  it('go on after one that throws, which is reported by its id and counted', async () => {
    const registry = new Registry();
    const failures = new CheckFailures({ registry } as ConstructorParameters<typeof CheckFailures>[0]);
    const broken = new Proxy({} as Condition, {
      has: () => {
        throw new Error('canary-1');
      },
    });
    const found = failingChecks(
      subject,
      [aCheck('AWS-A-001', broken), aCheck('CUSTOM-B', broken), aCheck('AWS-A-002', isTrue('a'))],
      { lookup: NOTHING_LINKED, onError: (check, error) => failures.report(check.id, error) },
    );
    expect(found.map(({ id }) => id)).toEqual(['AWS-A-002']);
    const metrics = await registry.metrics();
    expect(metrics).toContain('security_check_failures_total{check="AWS-A-001"} 1');
    expect(metrics).toContain('security_check_failures_total{check="custom"} 1');
    expect(metrics).not.toContain('canary');
  });

  it('reads a policy of 10 MB', () => {
    const statement = {
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::111122223333:root' },
      Action: 's3:GetObject',
    };
    const policy = (last: object): string =>
      JSON.stringify({ Statement: [...Array.from({ length: 100_000 }, () => statement), last] });
    const open = aCheck(
      'AWS-A-001',
      policyHas('policy', { effect: 'Allow', principal: '*', noCondition: true }),
    );
    const of = (text: string): number =>
      failingChecks({ type: 'aws_x', attributes: { policy: text } }, [open], {
        lookup: NOTHING_LINKED,
        onError: () => undefined,
      }).length;
    expect(policy(statement).length).toBeGreaterThan(9_000_000);
    expect([
      of(policy(statement)),
      of(policy({ ...statement, Principal: '*' })),
      of('{'.repeat(10_000_000)),
    ]).toEqual([0, 1, 0]);
  });
});
