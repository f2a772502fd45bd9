import { Injectable } from '@nestjs/common';
import type { CheckCatalogueView } from '../dto/security.dto.js';
import { CheckSets } from './check-sets.js';
import { CustomChecks } from './custom-checks.store.js';
import { toCheckView } from './finding.view.js';

/** Every check there is, for people and clients. */
@Injectable()
export class CheckCatalogue {
  constructor(
    private readonly checks: CheckSets,
    private readonly custom: CustomChecks,
  ) {}

  async list(tenantId: string | undefined): Promise<CheckCatalogueView> {
    const { registry } = this.checks;
    const own = tenantId === undefined ? [] : await this.custom.list(tenantId);
    const { version } = tenantId === undefined ? registry : await this.checks.ofTenant(tenantId);
    return {
      version,
      checks: [
        ...registry.checks.map((check) => toCheckView(check, { custom: false })),
        ...own.map((check) => toCheckView(check, { custom: true })),
      ],
    };
  }
}
