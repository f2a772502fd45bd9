import { Injectable } from '@nestjs/common';
import { AccessDecisions, Administration, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { Tasks } from '../../tasks/index.js';
import { CloudAccess, type TenantCloud } from './cloud-access.js';
import { CloudDescriptions } from './cloud-descriptions.js';
import { type CloudDescription, CloudFailure, describedFailure } from '../clouds/cloud-inventory.js';
import { type SettingsBody, storedSettingsOf } from './cloud-settings.rules.js';
import { CloudSettingsStore } from './cloud-settings.store.js';
import type { GapConfigView } from '../dto/gaps.dto.js';
import { type CloudOf, GapScansStore } from '../inventory/gap-scans.store.js';

const NOTHING: CloudDescription = {
  ...{ status: 'error', isReady: false, aggregatorRegion: null },
  ...{ indexedRegions: [], warnings: [] },
};

/** Which cloud a tenant sees, and whether it can be scanned. */
@Injectable()
export class GapSettings {
  constructor(
    private readonly administration: Administration,
    private readonly decisions: AccessDecisions,
    private readonly audit: Audit,
    private readonly tasks: Tasks,
    private readonly store: CloudSettingsStore,
    private readonly scans: GapScansStore,
    private readonly access: CloudAccess,
    private readonly descriptions: CloudDescriptions,
  ) {}

  async show(caller: Principal, { tenantId, provider }: CloudOf): Promise<GapConfigView> {
    const of = { tenantId: tenantId.toLowerCase(), provider };
    const isAdmin = this.decisions.may(caller, 'admin', { tenantId: of.tenantId });
    const externalId =
      isAdmin && of.provider === 'aws' ? await this.store.externalId(of.tenantId) : undefined;
    const told = externalId === undefined ? {} : { external_id: externalId };
    let cloud: TenantCloud | undefined;
    try {
      cloud = await this.access.find(of);
    } catch (error) {
      if (!(error instanceof CloudFailure)) throw error;
      return { ...viewOf(of, describedFailure(error)), ...told };
    }
    if (!cloud) return { ...viewOf(of, NOTHING), status: 'not_configured', ...told };
    return { ...viewOf(of, await this.descriptions.describe(of, cloud)), ...settingsView(cloud), ...told };
  }

  /** Forgets what the older settings let in, and stops the scan that runs with them. */
  async replace(caller: Principal, tenantId: string, body: SettingsBody): Promise<GapConfigView> {
    const stored = storedSettingsOf(body);
    const of = { tenantId: tenantId.toLowerCase(), provider: stored.provider };
    await this.change(caller, of, async (actor) => {
      await this.store.replace(of.tenantId, stored, actor.userId);
      await this.forget(of);
      const { roleArn, region, scope, clientEmail, directoryId, clientId, subscriptions } = stored.settings;
      await this.audit.record({
        actor,
        action: 'gap-settings.replace',
        objectType: 'gap-settings',
        objectId: stored.provider,
        tenantId: of.tenantId,
        data: {
          provider: stored.provider,
          roleArn,
          region,
          scope,
          clientEmail,
          directoryId,
          clientId,
          subscriptions,
        },
      });
    });
    return this.show(caller, of);
  }

  /** The same when there are none: what they let in is gone in any case. */
  async delete(caller: Principal, { tenantId, provider }: CloudOf): Promise<void> {
    const of = { tenantId: tenantId.toLowerCase(), provider };
    await this.change(caller, of, async (actor) => {
      const wasThere = await this.store.delete(of.tenantId, of.provider);
      await this.forget(of);
      if (!wasThere) return;
      await this.audit.record({
        actor,
        action: 'gap-settings.delete',
        objectType: 'gap-settings',
        objectId: of.provider,
        tenantId: of.tenantId,
        data: { provider: of.provider },
      });
    });
  }

  /** By whoever administers the tenant at that moment still. */
  private async change(
    caller: Principal,
    { tenantId }: CloudOf,
    task: (actor: Principal) => Promise<void>,
  ): Promise<void> {
    await this.administration.change(caller, task, { capability: 'admin', tenantId });
  }

  private async forget(of: CloudOf): Promise<void> {
    const running = await this.scans.forget(of);
    if (running !== undefined) await this.tasks.abort(running);
  }
}

function viewOf({ provider }: CloudOf, description: CloudDescription): GapConfigView {
  const { status, isReady, aggregatorRegion, indexedRegions, warnings } = description;
  return {
    provider,
    status,
    ready_for_gap_analysis: isReady,
    ready_for_terraform_import: isReady,
    has_aggregator: aggregatorRegion !== null,
    aggregator_region: aggregatorRegion,
    indexed_regions: indexedRegions,
    index_count: indexedRegions.length,
    warnings,
  };
}

/** Of the settings what members may see. */
function settingsView({ settings }: TenantCloud): Partial<GapConfigView> {
  switch (settings.provider) {
    case 'aws':
      return settings.roleArn === undefined ? {} : { role_arn: settings.roleArn };
    case 'gcp':
      return { scope: settings.scope };
    case 'azure':
      return { subscriptions: settings.subscriptions };
  }
}
