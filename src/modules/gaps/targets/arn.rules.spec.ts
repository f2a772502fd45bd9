import fc from 'fast-check';
import { idOfResource, parseArn, printArn } from './arn.rules.js';

const word = fc.stringMatching(/^[a-z0-9-]{1,12}$/);
const arns = fc.record({
  partition: fc.constantFrom('aws', 'aws-cn', 'aws-us-gov'),
  service: word,
  region: fc.oneof(fc.constant(''), word),
  account: fc.constantFrom('', '123456789012', 'aws'),
  resource: fc.string({ minLength: 1, maxLength: 60, unit: fc.constantFrom(...'ab:/.*-_ @$é') }),
});

describe('An ARN', () => {
  it('reads as it was printed', () => {
    fc.assert(fc.property(arns, (arn) => expect(parseArn(printArn(arn))).toEqual(arn)));
  });

  it('prints as it was read', () => {
    fc.assert(
      fc.property(fc.oneof(arns.map(printArn), fc.string()), (text) => {
        const arn = parseArn(text);
        if (arn) expect(printArn(arn)).toBe(text);
      }),
    );
  });

  it('has an id behind its type', () => {
    expect([idOfResource('db:main'), idOfResource('log-group:a/b'), idOfResource('topic')]).toEqual([
      'main',
      'a/b',
      'topic',
    ]);
  });
});
