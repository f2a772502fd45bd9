import { type ActiveWaiver, matchingWaiver, waiverMatches } from './waiver-match.rules.js';

const FINDING = { checkId: 'AWS-S3-001', stateId: 's1', address: 'module.vpc["a"].aws_x.b[0]' };

function aWaiver(of: Partial<ActiveWaiver>): ActiveWaiver {
  return { id: 'w', matchedId: '*', stateId: null, address: null, expiresAt: null, ...of };
}

describe('Matching waivers', () => {
  it.each([
    [{ matchedId: 'AWS-S3-001' }, true],
    [{ matchedId: 'AWS-S3-002' }, false],
    [{ stateId: 's2' }, false],
    [{ address: 'module.vpc*' }, true],
    [{ address: 'module.vpc["a"].aws_x.b[0]' }, true],
    [{ address: 'module.vpc["a"].aws_x.b' }, false],
    [{ address: '*aws_x*[0]' }, true],
    [{ address: '*aws_x*[1]' }, false],
    [{ address: 'module.vpc["?"].aws_x.b[0]' }, false],
    [{ address: '*' }, true],
    [{ address: '*b[0]*b[0]' }, false],
  ])('%j: %s', (of, expected) => {
    expect(waiverMatches(aWaiver(of), FINDING)).toBe(expected);
  });

  it('prefers the waiver that ends last', () => {
    const soon = aWaiver({ id: 'soon', expiresAt: new Date('2030-01-01') });
    const late = aWaiver({ id: 'late', expiresAt: new Date('2031-01-01') });
    const never = aWaiver({ id: 'never' });
    expect(matchingWaiver([late, soon], FINDING)?.id).toBe('late');
    expect(matchingWaiver([soon, never, late], FINDING)?.id).toBe('never');
    expect(matchingWaiver([], FINDING)).toBeUndefined();
  });
});
