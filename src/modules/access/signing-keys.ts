import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ADVISORY_LOCKS, UnitOfWork } from '../../platform/database/index.js';
import { Clock } from '../../platform/time/clock.js';
import { Secrets } from '../../platform/crypto/secrets.js';

export interface SigningKey {
  id: string;
  secret: Buffer;
}

/** How long a replica may go on signing with a key after a newer one was added, in milliseconds. */
const REFRESH_AFTER = 60_000;
/** An unknown key id asks the database again, but not more often than this, in milliseconds. */
const RETRY_AFTER = 1_000;
const DAY_MS = 86_400_000;

/** The installation's token keys, kept in the database: sign with the newest, verify against every active one. */
@Injectable()
export class SigningKeys implements OnApplicationBootstrap {
  private keys: SigningKey[] = [];
  private loadedAt = 0;
  private loading: Promise<void> | undefined;

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
  ) {}

  /** The first key is there before the first request: made in a request's transaction it could be rolled back. */
  async onApplicationBootstrap(): Promise<void> {
    await this.newest();
  }

  async newest(): Promise<SigningKey> {
    await this.refreshAfter(REFRESH_AFTER);
    return this.keys[0] ?? (await this.createFirst());
  }

  async find(id: string): Promise<SigningKey | undefined> {
    await this.refreshAfter(REFRESH_AFTER);
    const known = this.keys.find((key) => key.id === id);
    if (known) return known;
    await this.refreshAfter(RETRY_AFTER);
    return this.keys.find((key) => key.id === id);
  }

  /**
   * Adds a key when the newest one is older than `days`. It signs from now on (within a minute on other replicas); older
   * ones go on verifying, for refresh tokens have no end. Two at the same moment add one.
   */
  async rotate(days: number): Promise<void> {
    const now = this.clock.now().getTime();
    await this.work.run(async () => {
      await this.work.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.signingKeys]);
      const young = await this.work.query(
        'SELECT id FROM signing_keys WHERE retired_at IS NULL AND created_at > $1 LIMIT 1',
        [new Date(now - days * DAY_MS)],
      );
      if (young.length === 0) await this.insert();
    });
    await this.load();
  }

  private async refreshAfter(age: number): Promise<void> {
    if (this.clock.now().getTime() - this.loadedAt < age) return;
    this.loading ??= this.load().finally(() => (this.loading = undefined));
    await this.loading;
  }

  private async load(): Promise<void> {
    const rows = await this.work.query<SigningKey>(
      'SELECT id, secret FROM signing_keys WHERE retired_at IS NULL ORDER BY created_at DESC, id DESC',
    );
    this.keys = rows;
    this.loadedAt = this.clock.now().getTime();
  }

  private async createFirst(): Promise<SigningKey> {
    await this.work.run(async () => {
      await this.work.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.signingKeys]);
      await this.load();
      if (this.keys.length === 0) await this.insert();
      await this.load();
    });
    const [key] = this.keys;
    if (!key) throw new Error('no signing key could be created');
    return key;
  }

  private async insert(): Promise<void> {
    await this.work.query('INSERT INTO signing_keys (id, secret, created_at) VALUES ($1, $2, $3)', [
      this.secrets.token(9),
      this.secrets.bytes(32),
      this.clock.now(),
    ]);
  }
}
