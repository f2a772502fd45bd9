import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SealedColumns, Sealing } from '../../../platform/crypto/index.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { GroupCredentialsEntity } from '../entities/group-credentials.entity.js';

const TABLE = 'group_credentials';
const PURPOSE = 'webhook secret';

export interface WebhookGroup {
  installationId: string;
  providerInstallationId: string;
  state: string;
}

/** Access tokens and webhook secrets of groups: sealed, found by an HMAC, never written anywhere else. */
@Injectable()
export class GroupCredentials implements OnModuleInit {
  constructor(
    private readonly work: UnitOfWork,
    private readonly sealing: Sealing,
    private readonly columns: SealedColumns,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    for (const column of ['access_token', 'webhook_secret'])
      this.columns.add({ table: TABLE, column, key: 'installation_id' });
    this.columns.prepareWith(() => this.renewHashes());
  }

  /** With a new webhook secret, which is answered. */
  async create(installationId: string, accessToken: string | undefined): Promise<string> {
    const secret = this.secrets.bytes(32).toString('hex');
    await this.work.manager.insert(GroupCredentialsEntity, {
      installationId,
      accessToken: accessToken === undefined ? null : this.seal(accessToken, 'access_token', installationId),
      ...this.sealedSecret(secret, installationId),
      updatedAt: this.clock.now(),
    });
    return secret;
  }

  async replaceToken(installationId: string, accessToken: string): Promise<void> {
    const sealed = this.seal(accessToken, 'access_token', installationId);
    await this.work.manager.update(
      GroupCredentialsEntity,
      { installationId },
      { accessToken: sealed, updatedAt: this.clock.now() },
    );
  }

  /** Deliveries signed with the former secret are refused from now on. */
  async replaceSecret(installationId: string): Promise<string> {
    const secret = this.secrets.bytes(32).toString('hex');
    await this.work.manager.update(
      GroupCredentialsEntity,
      { installationId },
      { ...this.sealedSecret(secret, installationId), updatedAt: this.clock.now() },
    );
    return secret;
  }

  /**
   * Removes both secrets. The new webhook secret is known to nobody until somebody asks for it, so deliveries with the
   * former one are refused.
   */
  async forget(installationId: string): Promise<void> {
    const secret = this.secrets.bytes(32).toString('hex');
    await this.work.manager.update(
      GroupCredentialsEntity,
      { installationId },
      { accessToken: null, ...this.sealedSecret(secret, installationId), updatedAt: this.clock.now() },
    );
  }

  async findToken(installationId: string): Promise<string | undefined> {
    const row = await this.work.manager.findOneBy(GroupCredentialsEntity, { installationId });
    if (!row?.accessToken) return undefined;
    return this.sealing.open(row.accessToken, placeOf('access_token', installationId)).toString();
  }

  async findSecret(installationId: string): Promise<string | undefined> {
    const row = await this.work.manager.findOneBy(GroupCredentialsEntity, { installationId });
    if (!row) return undefined;
    return this.sealing.open(row.webhookSecret, placeOf('webhook_secret', installationId)).toString();
  }

  /** The group whose secret this is. The comparison is one of HMACs, by the index. */
  async findGroup(secret: string): Promise<WebhookGroup | undefined> {
    const [row] = await this.work.prepared<{ id: string; installation_id: string; state: string }>(
      FIND_GROUP,
      [this.sealing.lookupHashes(secret, PURPOSE)],
    );
    return row && { installationId: row.id, providerInstallationId: row.installation_id, state: row.state };
  }

  /** Hashes of an older encryption key are replaced, so that the key can be removed. Answers how many. */
  async renewHashes(): Promise<number> {
    if (!this.sealing.isConfigured) return 0;
    let renewed = 0;
    for (const { installationId, webhookSecretHash } of await this.work.manager.find(
      GroupCredentialsEntity,
    )) {
      const secret = await this.findSecret(installationId);
      if (secret === undefined) continue;
      const [newest] = this.sealing.lookupHashes(secret, PURPOSE);
      if (newest.equals(webhookSecretHash)) continue;
      // Only when the secret was not regenerated meanwhile.
      const rows = await this.work.query(
        `UPDATE group_credentials SET webhook_secret_hash = $3
          WHERE installation_id = $1 AND webhook_secret_hash = $2 RETURNING installation_id`,
        [installationId, webhookSecretHash, newest],
      );
      renewed += rows.length;
    }
    return renewed;
  }

  private sealedSecret(
    secret: string,
    installationId: string,
  ): Pick<GroupCredentialsEntity, 'webhookSecret' | 'webhookSecretHash'> {
    const [webhookSecretHash] = this.sealing.lookupHashes(secret, PURPOSE);
    return { webhookSecret: this.seal(secret, 'webhook_secret', installationId), webhookSecretHash };
  }

  private seal(value: string, column: string, installationId: string): Buffer {
    return this.sealing.seal(value, placeOf(column, installationId));
  }
}

const FIND_GROUP = {
  name: 'vcs_group_of_secret',
  text: `SELECT i.id, i.installation_id, i.state FROM group_credentials c
           JOIN installations i ON i.id = c.installation_id WHERE c.webhook_secret_hash = ANY ($1::bytea[])`,
};

function placeOf(column: string, row: string): { table: string; column: string; row: string } {
  return { table: TABLE, column, row };
}
