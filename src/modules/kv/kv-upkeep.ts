import { Injectable } from '@nestjs/common';
import { HandlesEvent } from '../../platform/events/index.js';
import { InstallationDeleted } from '../vcs/index.js';
import { KvRecordsStore } from './kv-records.store.js';

/** Records go with their installation, in the transaction that deletes it. */
@Injectable()
export class KvUpkeep {
  constructor(private readonly records: KvRecordsStore) {}

  @HandlesEvent(InstallationDeleted)
  async removeRecords({ provider, installationId }: InstallationDeleted): Promise<void> {
    await this.records.removeNamespace(provider, installationId);
  }
}
