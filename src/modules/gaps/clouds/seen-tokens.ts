import { createHash } from 'node:crypto';
import { CloudFailure } from './cloud-inventory.js';

/** Page tokens of one listing. A token that comes again would make the listing endless. */
export class SeenTokens {
  private readonly seen = new Set<string>();

  /** `action`: what a failure names */
  constructor(private readonly action: string) {}

  /** The token to go on with; undefined after the last page. */
  next(token: unknown): string | undefined {
    if (token === undefined || token === null || token === '') return undefined;
    if (typeof token !== 'string') throw new CloudFailure('INVALID_RESPONSE', { action: this.action });
    const hash = createHash('sha256').update(token).digest('base64');
    if (this.seen.has(hash))
      throw new CloudFailure('INVALID_RESPONSE', {
        action: this.action,
        message: 'the cloud repeated a page token',
      });
    this.seen.add(hash);
    return token;
  }
}
