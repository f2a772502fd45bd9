import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { AwsInventory } from '../providers/aws-inventory.js';
import { AzureInventory } from '../providers/azure-inventory.js';
import {
  type CloudDescription,
  CloudFailure,
  type CloudSettings,
  type ScanPart,
  type ScanPosition,
} from '../clouds/cloud-inventory.js';
import { GCP_SCOPE, keyOf } from './cloud-settings.rules.js';
import { CloudSettingsStore } from './cloud-settings.store.js';
import { GcpInventory } from '../providers/gcp-inventory.js';
import type { CloudOf } from '../inventory/gap-scans.store.js';
import { isUuid } from '../../../platform/text/uuid.js';

/** A cloud that a tenant may see. */
export interface TenantCloud {
  /** another one after each change of the settings */
  version: string;
  settings: CloudSettings;
  isAmbient: boolean;
}

/** Whose cloud a tenant sees: its own settings, or the server's identity where the operator allows that. */
@Injectable()
export class CloudAccess {
  constructor(
    private readonly config: Config,
    private readonly store: CloudSettingsStore,
    private readonly aws: AwsInventory,
    private readonly gcp: GcpInventory,
    private readonly azure: AzureInventory,
  ) {}

  /** Undefined: nothing is configured for the tenant and provider. */
  async find(of: CloudOf): Promise<TenantCloud | undefined> {
    const own = await this.store.find(of.tenantId, of.provider);
    if (own) return { ...own, isAmbient: false };
    const settings = this.isAmbient(of.tenantId) ? await this.ambient(of) : undefined;
    return settings && { version: 'ambient', settings, isAmbient: true };
  }

  describe(settings: CloudSettings, signal: AbortSignal): Promise<CloudDescription> {
    switch (settings.provider) {
      case 'aws':
        return this.aws.describe(settings, signal);
      case 'gcp':
        return this.gcp.describe(settings, signal);
      case 'azure':
        return this.azure.describe(settings, signal);
    }
  }

  scan(
    settings: CloudSettings,
    signal: AbortSignal,
    from: ScanPosition | undefined,
  ): AsyncGenerator<ScanPart, void> {
    switch (settings.provider) {
      case 'aws':
        return this.aws.scan(settings, signal, from);
      case 'gcp':
        return this.gcp.scan(settings, signal, from);
      case 'azure':
        return this.azure.scan(settings, signal, from);
    }
  }

  private isAmbient(tenantId: string): boolean {
    const listed = this.config
      .get('SERVICE_GAPS_AMBIENT_TENANTS')
      .split(',')
      .map((entry) => entry.trim().toLowerCase());
    return listed.includes('all') || listed.includes(tenantId.toLowerCase());
  }

  private async ambient({ provider }: CloudOf): Promise<CloudSettings | undefined> {
    switch (provider) {
      case 'aws': {
        const region = this.config.get('AWS_REGION');
        return { provider, roleArn: undefined, externalId: '', region };
      }
      case 'gcp':
        return this.ambientGcp();
      case 'azure':
        return this.ambientAzure();
    }
  }

  private async ambientGcp(): Promise<CloudSettings | undefined> {
    const scope = this.config.get('SERVICE_GCP_SCOPE');
    const file = this.config.get('GOOGLE_APPLICATION_CREDENTIALS');
    if (scope === undefined || file === undefined || !GCP_SCOPE.test(scope)) return undefined;
    try {
      const key = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
      return { provider: 'gcp', scope, ...keyOf(key) };
    } catch {
      throw new CloudFailure('ACCESS_DENIED', { action: 'GOOGLE_APPLICATION_CREDENTIALS' });
    }
  }

  private ambientAzure(): CloudSettings | undefined {
    const directoryId = this.config.get('AZURE_TENANT_ID');
    const clientId = this.config.get('AZURE_CLIENT_ID');
    const clientSecret = this.config.get('AZURE_CLIENT_SECRET');
    const subscriptions = (this.config.get('SERVICE_AZURE_SUBSCRIPTIONS') ?? '')
      .split(',')
      .map((id) => id.trim().toLowerCase());
    if (directoryId === undefined || clientId === undefined || clientSecret === undefined) return undefined;
    if (![directoryId, ...subscriptions].every((id) => isUuid(id))) return undefined;
    return { provider: 'azure', directoryId, clientId, clientSecret, subscriptions };
  }
}
