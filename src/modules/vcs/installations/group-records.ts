import { Injectable } from '@nestjs/common';
import type { InstallationEntity } from '../entities/installation.entity.js';
import { GroupCredentials } from '../hosts/group-credentials.store.js';
import { InstallationQueries } from './installations.queries.js';
import { InstallationsStore } from './installations.store.js';

/** The installations that stand for GitLab groups. Each is made together with its credentials. */
@Injectable()
export class GroupRecords {
  constructor(
    private readonly installations: InstallationsStore,
    private readonly queries: InstallationQueries,
    private readonly credentials: GroupCredentials,
  ) {}

  async find(groupId: string): Promise<InstallationEntity | null> {
    return this.queries.findByProviderId('gitlab', groupId);
  }

  /** Inside a unit of work: nobody else links or unlinks it until that ends. */
  async lock({ id }: InstallationEntity): Promise<InstallationEntity | null> {
    return this.installations.lock(id);
  }

  /** Inside a unit of work, with a new webhook secret. Undefined when the group has an installation already. */
  async create(
    groupId: string,
    { name, token }: { name: string; token?: string },
  ): Promise<{ installation: InstallationEntity; secret: string } | undefined> {
    const installation = await this.installations.createGroup(groupId, name);
    if (!installation) return undefined;
    return { installation, secret: await this.credentials.create(installation.id, token) };
  }
}
