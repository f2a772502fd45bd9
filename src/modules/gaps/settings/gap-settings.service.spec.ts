import type { AccessDecisions, Administration, Principal } from '../../access/index.js';
import type { Audit } from '../../audit/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import type { Tasks } from '../../tasks/index.js';
import type { CloudAccess } from './cloud-access.js';
import type { CloudDescriptions } from './cloud-descriptions.js';
import type { CloudSettingsStore } from './cloud-settings.store.js';
import type { GapScansStore } from '../inventory/gap-scans.store.js';
import { GapSettings } from './gap-settings.service.js';

describe('The cloud settings of a tenant', () => {
  const TENANT = '0d3f5b52-7c1e-4f0a-9d1c-2b8e6a4f7c11';
  const of = { tenantId: TENANT.toUpperCase(), provider: 'aws' as const };
  const caller = { userId: 'u' } as Principal;
  let written: string[];

  /** `holds`: whether the caller is an administrator of the tenant by the time that something changes */
  function settingsWhile(holds: boolean): GapSettings {
    written = [];
    const administration = {
      change: async (
        current: Principal,
        task: (current: Principal) => Promise<void>,
        required: { capability: string; tenantId: string },
      ) => {
        expect(required).toEqual({ capability: 'admin', tenantId: TENANT });
        if (!holds) throw httpErrors.FORBIDDEN();
        await task(current);
      },
    };
    return new GapSettings(
      administration as unknown as Administration,
      {
        may: (_: Principal, __: string, { tenantId }: { tenantId: string }) => tenantId === TENANT,
      } as AccessDecisions,
      { record: async ({ action }: { action: string }) => void written.push(action) } as unknown as Audit,
      {} as Tasks,
      {
        externalId: async () => 'external',
        replace: async () => void written.push('replace'),
        delete: async () => written.push('delete') > 0,
      } as unknown as CloudSettingsStore,
      { forget: async () => undefined } as unknown as GapScansStore,
      { find: async () => undefined } as unknown as CloudAccess,
      {} as CloudDescriptions,
    );
  }
  const body = { provider: 'aws' as const, role_arn: 'arn:aws:iam::123456789012:role/reader' };

  it('show the external id to administrators, however the path spells the tenant', async () => {
    expect(await settingsWhile(true).show(caller, of)).toMatchObject({ external_id: 'external' });
  });

  it('change for whoever is an administrator still', async () => {
    await settingsWhile(true).replace(caller, of.tenantId, body);
    expect(written).toEqual(['replace', 'gap-settings.replace']);
    await settingsWhile(true).delete(caller, of);
    expect(written).toEqual(['delete', 'gap-settings.delete']);
  });

  it('stay when the right was lost meanwhile', async () => {
    const settings = settingsWhile(false);
    await expect(settings.replace(caller, of.tenantId, body)).rejects.toMatchObject({ status: 403 });
    await expect(settings.delete(caller, of)).rejects.toMatchObject({ status: 403 });
    expect(written).toEqual([]);
  });
});
