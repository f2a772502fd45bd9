import fc from 'fast-check';
import { lockInfoOf } from './lock-info.rules.js';

describe('lockInfoOf', () => {
  it('reads what the client says of itself and leaves out the rest', () => {
    const body = {
      ID: 'x',
      Operation: 'OperationTypeApply',
      Info: '',
      Who: 'ada@host',
      Version: '1.11.4',
      Path: 'p',
    };
    expect(lockInfoOf(JSON.stringify(body))).toEqual({
      who: 'ada@host',
      operation: 'OperationTypeApply',
      version: '1.11.4',
    });
  });

  it('answers texts of bounded length, whatever was stored', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc
            .record({ Who: fc.anything(), Info: fc.string({ maxLength: 2000 }) })
            .map((body) => JSON.stringify(body)),
        ),
        (text) => {
          for (const value of Object.values(lockInfoOf(text))) {
            expect(typeof value).toBe('string');
            expect(value.length).toBeLessThanOrEqual(500);
          }
        },
      ),
    );
  });
});
