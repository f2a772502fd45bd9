import { vcsErrors } from '../vcs.errors.js';
import type { ProviderAnswer } from './provider-requests.js';

/**
 * Throws for an answer to a dispatch that says nothing about the next one. After a failure of the provider the run may
 * have been started, so the caller looks for it first; after a rate limit it was not.
 */
export function requireFinal(answer: Pick<ProviderAnswer, 'status' | 'reason'>): void {
  if (answer.status >= 500) throw vcsErrors.PROVIDER_UNAVAILABLE();
  if ((answer.status === 403 || answer.status === 429) && /rate limit/i.test(answer.reason))
    throw vcsErrors.PROVIDER_REFUSED('the code host limits how often it is asked');
}
