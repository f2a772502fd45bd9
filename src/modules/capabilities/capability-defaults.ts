import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import {
  Administration,
  canonical,
  type Grants,
  grantsRefusal,
  parseGrants,
  type Principal,
} from '../access/index.js';
import { Audit } from '../audit/index.js';
import { CapabilityDefaultsEntity } from './entities/capability-defaults.entity.js';

/** What every person's session holds besides their own grants. A change acts on the next request. */
@Injectable()
export class CapabilityDefaults {
  constructor(
    private readonly work: UnitOfWork,
    private readonly administration: Administration,
    private readonly audit: Audit,
  ) {}

  async current(): Promise<Grants> {
    const row = await this.work.manager.findOneBy(CapabilityDefaultsEntity, { id: true });
    return row?.capabilities ?? {};
  }

  async replace(caller: Principal, requested: unknown): Promise<Grants> {
    const parsed = parseGrants(requested);
    if (!parsed) throw httpErrors.INVALID_REQUEST(`capabilities ${grantsRefusal(requested)}`);
    const capabilities = canonical(parsed);
    const replace = async (current: Principal): Promise<Grants> => {
      await this.work.manager.update(CapabilityDefaultsEntity, { id: true }, { capabilities });
      await this.audit.record({
        actor: current,
        action: 'capability-defaults.replace',
        objectType: 'capability-defaults',
        data: { capabilities },
      });
      return capabilities;
    };
    return this.administration.change(caller, replace, { capability: 'admin' });
  }
}
