import { storableText } from '../../platform/database/storable-text.js';
import { isArray, isObject, parseRaw, printRaw, RawJson } from './raw-json.js';

/** What stands in the queryable tables instead of a secret. */
export const MASK = '"(sensitive value)"';
const MAX_DEPTH = 100;
const TOO_DEEP = '"(nested too deep)"';

type Step = string | number | undefined;

/**
 * Projects the attributes of one instance for the graph tables: every value under a path of `sensitive_attributes` and
 * every known secret of a remote state is masked (of its backend's configuration, and all outputs: the client does not
 * say which of them are sensitive, and the producer's rows have those that are not), and tokens that jsonb cannot hold are replaced (NUL and
 * lone surrogates by U+FFFD, numbers out of its range by their text).
 */
export function projectAttributes(attributes: string, sensitive: unknown, isRemoteState: boolean): string {
  const tree = withoutMarked(attributes, sensitive);
  return printRaw(isRemoteState ? withoutOutputs(withoutBackendSecrets(tree)) : tree);
}

/** What a remote state says of where it reads, with the outputs it has read; for finding links, for no table. */
export function remoteStateText(attributes: string, sensitive: unknown): string {
  return printRaw(withoutBackendSecrets(withoutMarked(attributes, sensitive)));
}

function withoutMarked(attributes: string, sensitive: unknown): RawJson {
  let tree = acceptable(parseRaw(attributes), 0);
  for (const path of pathsOf(sensitive)) tree = masked(tree, path);
  return tree;
}

/** JSON text that jsonb accepts, otherwise equal to `text`. */
export function acceptableJson(text: string): string {
  return text.includes('\\u') ? printRaw(acceptable(parseRaw(text), 0)) : text;
}

/** The paths of a version 4 `sensitive_attributes`; a step that is not understood is undefined and masks its parent. */
export function pathsOf(sensitive: unknown): Step[][] {
  if (!Array.isArray(sensitive)) return [];
  return sensitive.map((path: unknown) => (Array.isArray(path) ? path.map(stepOf) : [stepOf(path)]));
}

function stepOf(step: unknown): Step {
  if (typeof step === 'string' || typeof step === 'number') return step;
  if (typeof step !== 'object' || step === null || !('value' in step)) return undefined;
  const { value } = step;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'object' && value !== null && 'value' in value ? stepOf(value) : undefined;
}

function masked(value: RawJson, path: readonly Step[]): RawJson {
  const [step, ...rest] = path;
  if (path.length === 0) return value === 'null' ? value : MASK;
  if (isObject(value) && step !== undefined) {
    return {
      entries: value.entries.map(([key, item]) => [key, key === String(step) ? masked(item, rest) : item]),
    };
  }
  if (isArray(value) && typeof step === 'number') {
    return { items: value.items.map((item, index) => (index === step ? masked(item, rest) : item)) };
  }
  // A set is indexed by value: rather too much hidden than a secret shown.
  return value === 'null' ? value : MASK;
}

const BACKEND_SECRETS = new Set(
  (
    'password username token access_key secret_key session_token client_secret client_certificate client_certificate_password ' +
    'client_certificate_pem client_private_key_pem client_key sas_token oidc_token oidc_request_token credentials access_token ' +
    'encryption_key customer_encryption_key sse_customer_key private_key private_key_password http_auth access_id access_secret ' +
    'security_token secret_id auth_token api_key web_identity_token conn_str headers key_material passphrase'
  ).split(' '),
);

/** The attributes of a remote state without the known secrets of its backend's configuration. */
export function withoutBackendSecrets(attributes: RawJson): RawJson {
  return withMember(attributes, 'config', withoutSecrets);
}

/** `{value: {<name>: …}, type}`; the names stay. */
function withoutOutputs(attributes: RawJson): RawJson {
  return withMember(attributes, 'outputs', (outputs) =>
    isTyped(outputs) ? withMember(outputs, 'value', withoutLeaves) : withoutLeaves(outputs),
  );
}

function isTyped(outputs: RawJson): boolean {
  const names = isObject(outputs) ? outputs.entries.map(([key]) => key) : [];
  return names.length === 2 && names.includes('value') && names.includes('type');
}

function withoutLeaves(value: RawJson): RawJson {
  if (!isObject(value)) return masked(value, []);
  return { entries: value.entries.map(([key, item]) => [key, masked(item, [])]) };
}

function withMember(value: RawJson, name: string, change: (item: RawJson) => RawJson): RawJson {
  if (!isObject(value)) return value;
  return { entries: value.entries.map(([key, item]) => [key, key === name ? change(item) : item]) };
}

function withoutSecrets(value: RawJson): RawJson {
  if (isObject(value)) {
    return {
      entries: value.entries.map(([key, item]) => [
        key,
        BACKEND_SECRETS.has(key) ? masked(item, []) : withoutSecrets(item),
      ]),
    };
  }
  if (isArray(value)) return { items: value.items.map(withoutSecrets) };
  return value.startsWith('"') ? withoutUserInfo(value) : value;
}

/** The text may be escaped in any way, so the value is looked at; everything up to the last `@` of the authority goes. */
function withoutUserInfo(token: string): string {
  const text = JSON.parse(token) as string;
  return text.includes('://') && text.includes('@')
    ? JSON.stringify(text.replace(/:\/\/[^?#\s]*@/g, '://'))
    : token;
}

function acceptable(value: RawJson, depth: number): RawJson {
  if (typeof value === 'string')
    return value.startsWith('"') ? acceptableString(value) : acceptableNumber(value);
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (isArray(value)) return { items: value.items.map((item) => acceptable(item, depth + 1)) };
  return { entries: value.entries.map(([key, item]) => [storableText(key), acceptable(item, depth + 1)]) };
}

function acceptableString(token: string): string {
  return token.includes('\\u') ? JSON.stringify(storableText(JSON.parse(token) as string)) : token;
}

function acceptableNumber(token: string): string {
  const exponent = /e[+-]?(\d+)$/i.exec(token)?.[1];
  const tooLarge = token.length > 1000 || (exponent !== undefined && Number(exponent) > 1000);
  return tooLarge ? JSON.stringify(token.slice(0, 1000)) : token;
}
