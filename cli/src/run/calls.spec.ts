import type { ApiClient } from '../service/api-client.js';
import { ServiceFailure } from '../failure.js';
import { Calls } from './calls.js';

interface Sent {
  url: string;
  headers: Record<string, string>;
}

describe('a call that the service does once', () => {
  it('is sent again with its key when the answer is lost, and another one has another key', async () => {
    const sent: Sent[] = [];
    const client = {
      request: async (call: Sent) => {
        sent.push(call);
        if (sent.length === 1) throw new ServiceFailure(503, 'UNAVAILABLE', 'unavailable');
        return { data: '{}' };
      },
    } as unknown as ApiClient;
    const calls = new Calls(client);
    await calls.once('/append', '[1]');
    await calls.once('/append', '[2]');
    const keys = sent.map(({ headers }) => headers['Idempotency-Key']);
    expect(keys[0]).toMatch(/^[\x21-\x7e]{1,128}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(keys).toHaveLength(3);
  });
});
