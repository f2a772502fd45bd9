import { createPrivateKey } from 'node:crypto';
import { httpErrors } from '../../../platform/errors/index.js';
import type { CloudProvider } from '../../cloud-ids/index.js';
import { AWS_REGION, type CloudSettings } from '../clouds/cloud-inventory.js';
import { isUuid, UUID } from '../../../platform/text/uuid.js';

/** What is stored: `settings` in clear, `secret` sealed. */
export interface StoredSettings {
  provider: CloudProvider;
  settings: Record<string, unknown>;
  secret: string | undefined;
}

export interface SettingsBody {
  provider: CloudProvider;
  role_arn?: string;
  region?: string;
  scope?: string;
  service_account_key?: Record<string, unknown>;
  azure_tenant_id?: string;
  client_id?: string;
  client_secret?: string;
  subscriptions?: string[];
}

const ROLE_ARN = /^arn:(?:aws|aws-cn|aws-us-gov):iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
export const GCP_SCOPE =
  /^(?:projects\/[a-z0-9][a-z0-9:.-]{0,98}|folders\/\d{1,20}|organizations\/\d{1,20})$/;
/** Visible ASCII: jsonb takes neither NUL nor half of a surrogate pair. */
const EMAIL = /^[!#-;=?A-~]{1,200}@[a-z0-9.-]{1,200}$/i;
const MAX_SUBSCRIPTIONS = 500;

const FIELDS: Record<CloudProvider, readonly (keyof SettingsBody)[]> = {
  aws: ['role_arn', 'region'],
  gcp: ['scope', 'service_account_key'],
  azure: ['azure_tenant_id', 'client_id', 'client_secret', 'subscriptions'],
};

/** 400 names the first field that is missing, malformed, or of another provider. */
export function storedSettingsOf(body: SettingsBody): StoredSettings {
  for (const field of Object.values(FIELDS).flat())
    if (body[field] !== undefined && !FIELDS[body.provider].includes(field))
      throw httpErrors.INVALID_REQUEST(`${field} does not belong to provider ${body.provider}`);
  switch (body.provider) {
    case 'aws':
      return storedAws(body);
    case 'gcp':
      return storedGcp(body);
    case 'azure':
      return storedAzure(body);
  }
}

function storedAws({ role_arn, region }: SettingsBody): StoredSettings {
  const roleArn = matching('role_arn', role_arn, ROLE_ARN, 'the ARN of an IAM role');
  if (region !== undefined) matching('region', region, AWS_REGION, 'an AWS region such as eu-west-1');
  return {
    provider: 'aws',
    settings: { roleArn, ...(region === undefined ? {} : { region }) },
    secret: undefined,
  };
}

function storedGcp(body: SettingsBody): StoredSettings {
  const scope = matching(
    'scope',
    body.scope,
    GCP_SCOPE,
    'projects/<id>, folders/<number> or organizations/<number>',
  );
  const { clientEmail, privateKey, privateKeyId } = keyOf(body.service_account_key);
  return { provider: 'gcp', settings: { scope, clientEmail, privateKeyId }, secret: privateKey };
}

function storedAzure(body: SettingsBody): StoredSettings {
  const directoryId = matching(
    'azure_tenant_id',
    body.azure_tenant_id,
    UUID,
    'the UUID of a directory',
  ).toLowerCase();
  const clientId = matching('client_id', body.client_id, UUID, 'the UUID of an application').toLowerCase();
  const clientSecret = matching(
    'client_secret',
    body.client_secret,
    /^[\x20-\x7e]{1,1000}$/,
    'a secret of 1 to 1,000 characters',
  );
  const given = body.subscriptions ?? [];
  if (given.length === 0 || given.length > MAX_SUBSCRIPTIONS || !given.every((id) => isUuid(id)))
    throw httpErrors.INVALID_REQUEST(
      `subscriptions must list 1 to ${MAX_SUBSCRIPTIONS} UUIDs of subscriptions`,
    );
  const subscriptions = [...new Set(given.map((id) => id.toLowerCase()))];
  return { provider: 'azure', settings: { directoryId, clientId, subscriptions }, secret: clientSecret };
}

export interface ServiceAccountKey {
  clientEmail: string;
  privateKey: string;
  privateKeyId: string | undefined;
}

/** Of the key file only what signs: the addresses in it (`token_uri` and others) are ignored. */
export function keyOf(key: Record<string, unknown> | undefined): ServiceAccountKey {
  const field = 'service_account_key';
  if (key === undefined) throw httpErrors.INVALID_REQUEST(`${field} is required`);
  if (key['type'] !== 'service_account')
    throw httpErrors.INVALID_REQUEST(`${field} must be the JSON key of a service account`);
  const clientEmail = matching(`${field}.client_email`, textOf(key['client_email']), EMAIL, 'an address');
  const privateKey = textOf(key['private_key']) ?? '';
  if (!isRsaKey(privateKey))
    throw httpErrors.INVALID_REQUEST(`${field}.private_key must be an RSA key in PKCS #8`);
  const privateKeyId = textOf(key['private_key_id']);
  if (privateKeyId !== undefined)
    matching(`${field}.private_key_id`, privateKeyId, /^[\w-]{1,100}$/, 'a key id');
  return { clientEmail, privateKey, privateKeyId };
}

function isRsaKey(pem: string): boolean {
  try {
    return pem.includes('BEGIN PRIVATE KEY') && createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function matching(field: string, value: string | undefined, form: RegExp, what: string): string {
  if (value === undefined) throw httpErrors.INVALID_REQUEST(`${field} is required`);
  if (!form.test(value)) throw httpErrors.INVALID_REQUEST(`${field} must be ${what}`);
  return value;
}

/** The settings as the inventories read them. */
export function cloudSettingsOf(stored: StoredSettings, externalId: string): CloudSettings {
  const { settings, secret = '' } = stored;
  const text = (name: string): string => String(settings[name]);
  const optional = (name: string): string | undefined => textOf(settings[name]);
  switch (stored.provider) {
    case 'aws':
      return { provider: 'aws', roleArn: text('roleArn'), externalId, region: optional('region') };
    case 'gcp':
      return {
        ...{ provider: 'gcp', scope: text('scope'), clientEmail: text('clientEmail'), privateKey: secret },
        privateKeyId: optional('privateKeyId'),
      };
    case 'azure':
      return {
        ...{
          provider: 'azure',
          directoryId: text('directoryId'),
          clientId: text('clientId'),
          clientSecret: secret,
        },
        subscriptions: settings['subscriptions'] as string[],
      };
  }
}
