import { AppError } from '../../../platform/errors/index.js';
import { requestValidation } from '../../../platform/http/validation.js';
import { storedSettingsOf } from '../settings/cloud-settings.rules.js';
import { GapSettingsBody, ImportBody } from './gaps.dto.js';

const UUID = '0d3f5b52-7c1e-4f0a-9d1c-2b8e6a4f7c11';
const AZURE = { provider: 'azure', azure_tenant_id: UUID, client_id: UUID, subscriptions: [UUID] };
const ROLE = 'arn:aws:iam::123456789012:role/reader';

const settingsOf = async (body: object): Promise<unknown> =>
  storedSettingsOf(
    (await requestValidation.transform(body, { type: 'body', metatype: GapSettingsBody })) as GapSettingsBody,
  );

describe('Fields of cloud settings that are null', () => {
  it.each([
    [{ ...AZURE, client_secret: null }, 'client_secret is required'],
    [{ provider: 'gcp', scope: 'projects/x', service_account_key: null }, 'service_account_key is required'],
    [{ ...AZURE, client_secret: 's', subscriptions: null }, /^subscriptions must list/],
  ])('are missing in %j', async (body, reason) => {
    const outcome: unknown = await settingsOf(body).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(AppError);
    expect((outcome as AppError).message).toMatch(reason);
  });

  it('are absent where they are optional', async () => {
    expect(await settingsOf({ provider: 'aws', role_arn: ROLE, region: null, scope: null })).toEqual({
      provider: 'aws',
      settings: { roleArn: ROLE },
      secret: undefined,
    });
  });
});

it('takes no service account whose address PostgreSQL cannot keep', async () => {
  for (const odd of ['\u0000', '\ud800', ' ', 'ü']) {
    const key = { type: 'service_account', client_email: `a${odd}@x.example`, private_key: '' };
    const body = { provider: 'gcp', scope: 'projects/x', service_account_key: key };
    await expect(settingsOf(body)).rejects.toThrow('service_account_key.client_email must be an address');
  }
});

it('takes one to a thousand resources of an import, and no more', async () => {
  const taken = async (count: number): Promise<number> => {
    const resources = Array.from({ length: count }, (_, at) => ({
      arn: `arn:aws:sns:eu-west-1:123456789012:t${at}`,
    }));
    const body = await requestValidation.transform(
      { provider: 'aws', resources },
      { type: 'body', metatype: ImportBody },
    );
    return (body as ImportBody).resources.length;
  };
  expect([await taken(1), await taken(1_000)]).toEqual([1, 1_000]);
  for (const count of [0, 1_001]) await expect(taken(count)).rejects.toMatchObject({ status: 400 });
});

it('counts optional fields of an import that are null as absent', async () => {
  const arn = 'arn:aws:unknown:eu-west-1:123456789012:x/y';
  const odd = { arn, service: null, resource_type: null, region: null, owning_account_id: null };
  const body = { provider: 'aws', resources: [odd] };
  expect(await requestValidation.transform(body, { type: 'body', metatype: ImportBody })).toEqual({
    provider: 'aws',
    resources: [{ arn }],
  });
});
