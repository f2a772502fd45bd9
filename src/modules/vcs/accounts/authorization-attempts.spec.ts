import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../../platform/config/index.js';
import { Sealing } from '../../../platform/crypto/index.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import type { FindOperator } from 'typeorm';
import type { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { ClaimProofs } from '../installations/claim-proof.js';
import { ATTEMPT_LIFETIME_MS, AuthorizationAttempts } from './authorization-attempts.js';

class MovedClock extends Clock {
  private moved = 0;

  override now(): Date {
    return new Date(Date.parse('2026-01-31T10:00:00Z') + this.moved);
  }

  move(milliseconds: number): void {
    this.moved += milliseconds;
  }
}

/** Statements of the store, as far as these tests use them: an id is inserted once, and deleted when it has expired. */
function usedOnce(): UnitOfWork {
  const used = new Map<string, Date>();
  const query = async (_sql: string, [id, expiresAt]: [string, Date]): Promise<unknown[]> => {
    if (used.has(id)) return [];
    used.set(id, expiresAt);
    return [{ id }];
  };
  const expire = async (
    _entity: unknown,
    { expiresAt }: { expiresAt: FindOperator<Date> },
  ): Promise<void> => {
    for (const [id, until] of used) if (until < expiresAt.value) used.delete(id);
  };
  return { query, manager: { delete: expire } } as unknown as UnitOfWork;
}

describe('What lives in a browser during an authorization', () => {
  const sealing = new Sealing(
    loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      DB_HOST: 'x',
      DB_USER: 'x',
      DB_PASS: 'x',
      DB_NAME: 'x',
      SERVICE_ENCRYPTION_KEYS: `key:${randomBytes(32).toString('base64')}`,
    }),
  );
  let clock: MovedClock;
  let attempts: AuthorizationAttempts;
  let proofs: ClaimProofs;

  beforeEach(() => {
    clock = new MovedClock();
    attempts = new AuthorizationAttempts(sealing, new Secrets(), usedOnce(), clock);
    proofs = new ClaimProofs(attempts);
  });

  it('is a state that expires after its lifetime and not before', () => {
    const { attempt, sealed } = attempts.begin('claim', 'ada', { tenantId: 'tenant' });
    clock.move(ATTEMPT_LIFETIME_MS - 1);
    expect(attempts.open('claim', 'ada', sealed)).toEqual(attempt);
    clock.move(1);
    expect(attempts.open('claim', 'ada', sealed)).toBeUndefined();
    clock.move(ATTEMPT_LIFETIME_MS);
    expect(attempts.open('claim', 'ada', sealed)).toBeUndefined();
  });

  it('is a state of one person and purpose', () => {
    const { sealed } = attempts.begin('claim', 'ada', { tenantId: 'tenant' });
    expect(attempts.open('claim', 'bob', sealed)).toBeUndefined();
    expect(attempts.open('link github', 'ada', sealed)).toBeUndefined();
    expect(attempts.open('claim', 'ada', `${sealed.slice(0, -4)}AAAA`)).toBeUndefined();
  });

  it('is a state that is used once as long as it can be opened', async () => {
    const { attempt, sealed } = attempts.begin('link gitlab', 'ada', {});
    expect(await attempts.use(attempt, `${attempt.state}x`)).toBe(false);
    expect(await attempts.use(attempt, attempt.state)).toBe(true);
    clock.move(ATTEMPT_LIFETIME_MS - 1);
    expect(attempts.open('link gitlab', 'ada', sealed)).toEqual(attempt);
    expect(await attempts.use(attempt, attempt.state)).toBe(false);
    // The record that it was used ends, and so does the state itself.
    clock.move(ATTEMPT_LIFETIME_MS);
    expect(attempts.open('link gitlab', 'ada', sealed)).toBeUndefined();
  });

  it('is a proof that expires after its lifetime and not before', () => {
    const sealed = proofs.seal('ada', 'tenant', ['1', '22']);
    clock.move(ATTEMPT_LIFETIME_MS - 1);
    expect(proofs.open('ada', 'tenant', sealed)).toEqual(['1', '22']);
    clock.move(1);
    expect(proofs.open('ada', 'tenant', sealed)).toBeUndefined();
  });

  it('is a proof for one person and tenant, and no state is a proof', () => {
    const sealed = proofs.seal('ada', 'tenant', []);
    expect(proofs.open('ada', 'tenant', sealed)).toEqual([]);
    expect(proofs.open('bob', 'tenant', sealed)).toBeUndefined();
    expect(proofs.open('ada', 'other', sealed)).toBeUndefined();
    const attempt = attempts.begin('claim', 'ada', { tenantId: 'tenant' });
    expect(proofs.open('ada', 'tenant', attempt.sealed)).toBeUndefined();
    expect(attempts.open('claim', 'ada', sealed)).toBeUndefined();
  });
});
