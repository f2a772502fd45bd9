import { logBatches } from './log-batches.rules.js';

describe('log entries in batches', () => {
  it('keep their order and the limits', () => {
    expect(logBatches([1, 2, 3], 2)).toEqual(['[1,2]', '[3]']);
    expect(logBatches(['aaaa', 'b', 'c'], 10, 6)).toEqual(['["aaaa"]', '["b","c"]']);
    expect(logBatches(['longer than that'], 10, 6)).toEqual(['["longer than that"]']);
    expect(logBatches([])).toEqual([]);
  });
});
