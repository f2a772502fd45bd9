import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { ADVISORY_LOCKS, UnitOfWork } from '../../platform/database/index.js';
import { Clock } from '../../platform/time/clock.js';
import { SealedColumns, Sealing } from '../../platform/crypto/index.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { SigningKeyEntity } from './entities/signing-key.entity.js';

export interface SigningKey {
  id: string;
  secret: Buffer;
}

/** How long a replica may go on signing with a key after a newer one was added, in milliseconds. */
const REFRESH_AFTER = 60_000;
/** An unknown key id asks the database again, but not more often than this, in milliseconds. */
const RETRY_AFTER = 1_000;
const DAY_MS = 86_400_000;
const SEALED = { table: 'signing_keys', column: 'sealed_secret' };

/**
 * The installation's token keys, kept in the database (sealed where encryption keys are configured): sign with the
 * newest, verify against every active one.
 */
@Injectable()
export class SigningKeys implements OnModuleInit, OnApplicationBootstrap {
  private keys: SigningKey[] = [];
  private loadedAt = 0;
  private loading: Promise<void> | undefined;

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly sealing: Sealing,
    private readonly sealedColumns: SealedColumns,
  ) {}

  onModuleInit(): void {
    this.sealedColumns.add({ ...SEALED, key: 'id' });
  }

  /** The first key is there before the first request: made in a request's transaction it could be rolled back. */
  async onApplicationBootstrap(): Promise<void> {
    await this.newest();
    if (this.sealing.isConfigured) await this.sealStoredKeys();
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
      const since = new Date(now - days * DAY_MS);
      const young = { retiredAt: IsNull(), createdAt: MoreThan(since) };
      if (!(await this.work.manager.existsBy(SigningKeyEntity, young))) await this.insert();
    });
    await this.load();
  }

  private async refreshAfter(age: number): Promise<void> {
    if (this.clock.now().getTime() - this.loadedAt < age) return;
    this.loading ??= this.load().finally(() => (this.loading = undefined));
    await this.loading;
  }

  private async load(): Promise<void> {
    const rows = await this.work.manager.find(SigningKeyEntity, {
      where: { retiredAt: IsNull() },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    this.keys = rows.map((row) => ({ id: row.id, secret: this.secretOf(row) }));
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
    const [id, secret] = [this.secrets.token(9), this.secrets.bytes(32)];
    const sealed = this.sealing.isConfigured ? this.sealing.seal(secret, { ...SEALED, row: id }) : null;
    await this.work.manager.insert(SigningKeyEntity, {
      id,
      secret: sealed ? null : secret,
      sealedSecret: sealed,
      createdAt: this.clock.now(),
    });
  }

  /** Keys that were made before encryption was configured, retired ones included. */
  private async sealStoredKeys(): Promise<void> {
    await this.work.run(async () => {
      await this.work.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.signingKeys]);
      const rows = await this.work.query<{ id: string; secret: Buffer }>(
        'SELECT id, secret FROM signing_keys WHERE secret IS NOT NULL FOR UPDATE',
      );
      for (const { id, secret } of rows)
        await this.work.manager.update(SigningKeyEntity, id, {
          secret: null,
          sealedSecret: this.sealing.seal(secret, { ...SEALED, row: id }),
        });
    });
  }

  private secretOf({ id, secret, sealedSecret: sealed }: SigningKeyEntity): Buffer {
    if (sealed) return this.sealing.open(sealed, { ...SEALED, row: id });
    if (!secret) throw new Error('a signing key has no secret');
    return secret;
  }
}
