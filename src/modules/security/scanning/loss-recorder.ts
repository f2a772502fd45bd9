import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { StateDeleted } from '../../states/index.js';
import type { Attributes } from '../engine/attribute-path.rules.js';
import { CheckSets } from '../findings/check-sets.js';
import { isNetworkType } from '../findings/reach.store.js';
import { ScannedRows } from '../findings/scanned-rows.queries.js';
import { Scans } from '../findings/scans.store.js';
import { idsNamedBy, namesUnknown } from '../findings/tenant-estate.js';
import { Losses } from './losses.store.js';

/** Keeps what a state does to the findings of others, in the transaction that deletes the state. */
@Injectable()
export class LossRecorder {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly rows: ScannedRows,
    private readonly scans: Scans,
    private readonly checks: CheckSets,
    private readonly losses: Losses,
  ) {}

  @HandlesEvent(StateDeleted)
  async record({ stateId, tenantId }: StateDeleted): Promise<void> {
    // The deletion would wait for scans of the state anyway; what they write is read after them.
    await this.work.query('SELECT 1 FROM states WHERE id = $1 FOR UPDATE', [stateId]);
    const progress = await this.scans.progressOf(stateId);
    const state = await this.rows.state(stateId);
    if (state === undefined || state.version === 0) return;
    if (progress === null) {
      // Scans of other states may have seen what nobody scanned here.
      if (this.config.get('SERVICE_SECURITY')) await this.losses.addUnknown(stateId, tenantId);
      return;
    }
    // What was written while scanning was off may be much; the deletion does not read it.
    if (!this.config.get('SERVICE_SECURITY')) return this.losses.addUnknown(stateId, tenantId);
    const effects = await this.effectsOf(tenantId, { stateId, since: progress.scannedVersion });
    if (effects === undefined) return this.losses.addUnknown(stateId, tenantId);
    const upstream = [...new Set([...progress.upstream, ...state.upstream])];
    await this.losses.add({ stateId, tenantId, ...effects, upstream });
  }

  /** Of the instances that the state has, and of those that it had since the version. Undefined: nobody can say. */
  private async effectsOf(
    tenantId: string,
    { stateId, since }: { stateId: string; since: number },
  ): Promise<{ named: string[]; touchesNetwork: boolean } | undefined> {
    if ((await this.rows.removed(stateId, since)) === undefined) return undefined;
    const { links, estateTypes } = await this.checks.ofTenant(tenantId);
    const named = new Set<string>();
    const add = (instances: readonly { type: string; attributes: Attributes }[]): boolean => {
      for (const { type, attributes } of instances) {
        if (namesUnknown(type, attributes, links)) return false;
        for (const id of idsNamedBy(type, attributes, links)) named.add(id);
      }
      return true;
    };
    let touchesNetwork = (await this.rows.typesOf(stateId)).some(isNetworkType);
    for await (const batch of this.rows.replaced(stateId, since, [...estateTypes])) {
      touchesNetwork ||= batch.some(({ type }) => isNetworkType(type));
      if (!add(batch)) return undefined;
    }
    for await (const batch of this.rows.changed(stateId, -1, [...links.keys()]))
      if (!add(batch)) return undefined;
    return { named: [...named], touchesNetwork };
  }
}
