import { Injectable } from '@nestjs/common';
import { isFitText } from '../targets/arn.rules.js';
import type { ImportBody } from '../dto/gaps.dto.js';
import { GapInventoryStore } from '../inventory/gap-inventory.store.js';
import { canImport } from '../targets/import-mapping.rules.js';
import { importTexts, type ImportTexts } from './import-text.rules.js';

/** Writes import configuration. Asks no cloud; the stored inventory only tells Terraform types apart. */
@Injectable()
export class ImportRequests {
  constructor(private readonly inventory: GapInventoryStore) {}

  async write(tenantId: string, { provider, resources }: ImportBody): Promise<ImportTexts> {
    const sources = resources.map(({ arn, service, resource_type, region, owning_account_id }) => ({
      ...{ id: arn, service, resourceType: resource_type, region, account: owning_account_id },
    }));
    const unclear = provider === 'aws' ? [] : sources.filter((source) => isUnclear(provider, source));
    const attributes =
      unclear.length === 0
        ? undefined
        : await this.inventory.attributesOf(
            { tenantId, provider },
            unclear.map(({ id }) => id),
          );
    return importTexts(
      provider,
      sources.map((source) => ({ ...source, attributes: attributes?.get(source.id.toLowerCase()) })),
    );
  }
}

/** Whether attributes could change what the resource is in Terraform. PostgreSQL refuses some texts that are no ids. */
function isUnclear(provider: ImportBody['provider'], source: { id: string }): boolean {
  if (!isFitText(source.id)) return false;
  return !canImport(provider, source) || source.id.startsWith('//iam.googleapis.com/');
}
