import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SealedColumns, Sealing } from '../../../platform/crypto/index.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Provider } from '../entities/installation.entity.js';
import { LinkedAccountEntity } from '../entities/linked-account.entity.js';
import type { OAuthTokens, ProviderUser } from '../hosts/provider-oauth.js';

const TABLE = 'linked_accounts';

/** Accounts at the code hosts, with their tokens sealed. */
@Injectable()
export class LinkedAccountsStore implements OnModuleInit {
  constructor(
    private readonly work: UnitOfWork,
    private readonly sealing: Sealing,
    private readonly columns: SealedColumns,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    for (const column of ['access_token', 'refresh_token'])
      this.columns.add({ table: TABLE, column, key: 'id' });
  }

  async find(userId: string, provider: Provider): Promise<LinkedAccountEntity | null> {
    return this.work.manager.findOneBy(LinkedAccountEntity, { userId, provider });
  }

  /** Inside a unit of work: nobody else refreshes the token until it ends. */
  async lock(userId: string, provider: Provider): Promise<LinkedAccountEntity | null> {
    return this.work.manager.findOne(LinkedAccountEntity, {
      where: { userId, provider },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** In place of whatever account of the provider the user had. */
  async replace(
    userId: string,
    provider: Provider,
    account: ProviderUser & { tokens: OAuthTokens },
  ): Promise<void> {
    await this.remove(userId, provider);
    const id = this.secrets.uuid();
    const now = this.clock.now();
    const { accountId, username, avatarUrl, tokens } = account;
    await this.work.manager.insert(LinkedAccountEntity, {
      id,
      userId,
      provider,
      accountId,
      username,
      avatarUrl,
      ...this.sealed(id, tokens),
      createdAt: now,
      updatedAt: now,
    });
  }

  async replaceTokens({ id }: LinkedAccountEntity, tokens: OAuthTokens): Promise<void> {
    await this.work.manager.update(
      LinkedAccountEntity,
      { id },
      { ...this.sealed(id, tokens), updatedAt: this.clock.now() },
    );
  }

  /** False when there was none. */
  async remove(userId: string, provider?: Provider): Promise<boolean> {
    const where = provider === undefined ? { userId } : { userId, provider };
    return ((await this.work.manager.delete(LinkedAccountEntity, where)).affected ?? 0) > 0;
  }

  openAccessToken({ id, accessToken }: LinkedAccountEntity): string {
    return this.sealing.open(accessToken, placeOf('access_token', id)).toString();
  }

  openRefreshToken({ id, refreshToken }: LinkedAccountEntity): string | undefined {
    return refreshToken
      ? this.sealing.open(refreshToken, placeOf('refresh_token', id)).toString()
      : undefined;
  }

  private sealed(
    id: string,
    tokens: OAuthTokens,
  ): Pick<LinkedAccountEntity, 'accessToken' | 'refreshToken' | 'expiresAt'> {
    return {
      accessToken: this.sealing.seal(tokens.accessToken, placeOf('access_token', id)),
      refreshToken:
        tokens.refreshToken === null
          ? null
          : this.sealing.seal(tokens.refreshToken, placeOf('refresh_token', id)),
      expiresAt: tokens.expiresAt,
    };
  }
}

function placeOf(column: string, row: string): { table: string; column: string; row: string } {
  return { table: TABLE, column, row };
}
