import { breakdownOf, breakdownText, countFrom, impactLine, severityOption } from './severity.rules.js';

const findings = (...severities: string[]) =>
  breakdownOf(severities.map((severity_effective) => ({ severity_effective })));

describe('Severities', () => {
  it('counts what is as bad as the threshold or worse', () => {
    const breakdown = findings('critical', 'high', 'high', 'low', 'unknown');
    expect(
      ['info', 'low', 'medium', 'high', 'critical'].map((name) => countFrom(name as never, breakdown)),
    ).toEqual([4, 4, 3, 3, 1]);
  });

  it('names counts, the worst first', () => {
    expect(breakdownText(findings('low', 'critical', 'low', 'unknown'))).toBe('1 critical, 2 low, 1 unknown');
    expect(breakdownText(findings())).toBe('');
  });

  it('says in one line what a change adds and resolves', () => {
    expect(impactLine(findings('high'), findings('low', 'low'))).toBe(
      'Security: 1 finding added (1 high), 2 resolved',
    );
    expect(impactLine(findings(), findings('low'))).toBe('Security: 0 findings added, 1 resolved');
    expect(impactLine(findings(), findings())).toBe('Security: no finding added or resolved');
  });

  it('refuses a threshold that is no severity', () => {
    expect(severityOption(undefined)).toBeUndefined();
    expect(severityOption('high')).toBe('high');
    expect(() => severityOption('severe')).toThrow('--fail-on must be one of');
  });
});
