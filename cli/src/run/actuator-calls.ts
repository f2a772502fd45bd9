import type { Context } from '../context/context.js';
import { createApiClient } from '../service/api-client.js';
import { Calls } from './calls.js';

/** A client that may do nothing but run one task of one transaction. */
export function actuatorCalls(context: Context, token: string): Calls {
  const waiting = (text: string): void => context.output.printNote(text);
  const { address } = context;
  return new Calls(createApiClient({ address, apiKey: token, repeat: 'all', waiting }), 'all');
}
