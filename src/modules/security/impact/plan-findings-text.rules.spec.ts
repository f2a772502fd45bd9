import { planFindingsText } from './plan-findings-text.rules.js';

const NONE = { critical: 0, high: 0, medium: 0, low: 0, info: 0, unknown: 0 };

describe('The line about the findings of a plan', () => {
  it('counts what is added by severity, worst first, and what is resolved', () => {
    expect(
      planFindingsText({
        added_by_severity: { ...NONE, low: 1, critical: 2 },
        resolved_by_severity: { ...NONE, high: 3 },
        cross_boundary_finding_count: 1,
      }),
    ).toBe('3 added (2 critical, 1 low; 1 on what other states depend on), 3 resolved');
  });

  it('says that nothing changes', () => {
    const of = {
      added_by_severity: NONE,
      resolved_by_severity: NONE,
      cross_boundary_finding_count: 0,
    };
    expect(planFindingsText(of)).toBe('none added, none resolved');
    expect(planFindingsText({ ...of, resolved_by_severity: { ...NONE, info: 1 } })).toBe(
      '0 added, 1 resolved',
    );
  });
});
