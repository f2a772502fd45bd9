import fc from 'fast-check';
import { isTooLate, lateText, parseComment } from './comment.rules.js';

describe('A command that was delivered late', () => {
  const RECEIVED = new Date('2026-03-01T10:00:00Z');
  const after = (seconds: number) => new Date(RECEIVED.getTime() + seconds * 1000);

  it('is carried out within two hours', () => {
    expect(isTooLate(RECEIVED, after(7200))).toBe(false);
    expect(isTooLate(RECEIVED, after(7201))).toBe(true);
    // Clocks of replicas differ.
    expect(isTooLate(RECEIVED, after(-60))).toBe(false);
  });

  it('is answered with when it came, and the answer is no command', () => {
    const text = lateText(RECEIVED);
    expect(text).toContain('2026-03-01T10:00:00.000Z');
    expect(text).toContain('write it again');
    expect(parseComment(text)).toBeUndefined();
  });
});

describe('the grammar of comments', () => {
  it.each([
    ['infrastate plan', { name: 'plan', tagQuery: '', trigger: 'infrastate' }],
    [
      '  TERRAFORM   Apply dir:a or prod\nthanks',
      { name: 'apply', tagQuery: 'dir:a or prod', trigger: 'terraform' },
    ],
    ['tofu apply-force', { name: 'apply-force', tagQuery: '', trigger: 'tofu' }],
    [
      'infrastate apply-autoapprove workspace:x',
      { name: 'apply-autoapprove', tagQuery: 'workspace:x', trigger: 'infrastate' },
    ],
    ['infrastate unlock', { name: 'unlock', numbers: [] }],
    ['infrastate unlock #4 5', { name: 'unlock', numbers: [4, 5] }],
    ['infrastate unlock dir:a or tag', { name: 'unlock', numbers: [], tagQuery: 'dir:a or tag' }],
    ['terraform unlock of dir:a failed again today', undefined],
    ['infrastate unlock all', { name: 'unknown', text: 'unlock all' }],
    ['infrastate gate approve my token', { name: 'gate approve', token: 'my token' }],
    ['infrastate gate', { name: 'unknown', text: 'gate' }],
    ['infrastate help', { name: 'help' }],
    ['infrastate repo-config', { name: 'repo-config' }],
    ['infrastate', { name: 'unknown', text: '' }],
    ['infrastate dance', { name: 'unknown', text: 'dance' }],
    ['infrastate aply dir:a', { name: 'unknown', text: 'aply dir:a' }],
    ['infrastate help me', { name: 'unknown', text: 'help me' }],
    ['infrastate unlock #4 and #5', { name: 'unknown', text: 'unlock #4 and #5' }],
    ['Terraform destroy', { name: 'unknown', text: 'destroy' }],
    ['please infrastate plan', undefined],
    ['infrastate is great', undefined],
    ['Infrastate rocks!', undefined],
    ['Terraform is slow today, sorry', undefined],
    ['Terraform rocks', undefined],
    ['Terraform plans look good', undefined],
    ['Terraform help is on its way', undefined],
    ['Terraform gate is closed', undefined],
    ['Tofu unlock does not matter here', undefined],
    ['> infrastate apply', undefined],
    ['`infrastate apply`', undefined],
    ['```\ninfrastate apply\n```', undefined],
    ['    infrastate apply', undefined],
    ['\n\tinfrastate apply', undefined],
    ['infrastateapply', undefined],
    ['', undefined],
  ])('%j is %j', (body, expected) => {
    expect(parseComment(body)).toEqual(expected);
  });

  it('never throws, and acts on nothing that does not begin with a trigger word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (body) => {
        const command = parseComment(body);
        if (command) expect(/^\s*(infrastate|terraform|tofu)(\s|$)/i.test(body)).toBe(true);
      }),
    );
  });
});
