import { storableText } from '../../platform/database/storable-text.js';
import { hidden, pathsOf, withoutPaths } from './masked-paths.js';
import { isArray, isObject, parseRaw, printRaw, RawJson } from './raw-json.js';

const MAX_DEPTH = 100;
const TOO_DEEP = '"(nested too deep)"';

/**
 * Projects the attributes of one instance for the graph tables: every value under a path of `sensitive_attributes` and
 * every known secret of a remote state is masked (of its backend's configuration, and all outputs: the client does not
 * say which of them are sensitive, and the producer's rows have those that are not), and tokens that jsonb cannot hold are replaced (NUL and
 * lone surrogates by U+FFFD, numbers out of its range by their text).
 */
export function projectAttributes(
  attributes: string,
  sensitive: unknown,
  { isRemoteState }: { isRemoteState: boolean },
): string {
  const tree = withoutMarked(attributes, sensitive);
  return printRaw(isRemoteState ? withoutOutputs(withoutBackendSecrets(tree)) : tree);
}

/** What a remote state says of where it reads, with the outputs it has read; for finding links, for no table. */
export function remoteStateText(attributes: string, sensitive: unknown): string {
  return printRaw(withoutBackendSecrets(withoutMarked(attributes, sensitive)));
}

function withoutMarked(attributes: string, sensitive: unknown): RawJson {
  return withoutPaths(acceptable(parseRaw(attributes), 0), pathsOf(sensitive));
}

/** JSON text that jsonb accepts, otherwise equal to `text`. */
export function acceptableJson(text: string): string {
  return text.includes('\\u') ? printRaw(acceptable(parseRaw(text), 0)) : text;
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
  if (!isObject(value)) return hidden(value);
  return { entries: value.entries.map(([key, item]) => [key, hidden(item)]) };
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
        BACKEND_SECRETS.has(key) ? hidden(item) : withoutSecrets(item),
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
    ? JSON.stringify(text.replace(/[^?#\s]+/g, withoutAuthority))
    : token;
}

/** A regular expression for all of it would try every `://` up to the end: quadratic for a text made of them. */
function withoutAuthority(part: string): string {
  const scheme = part.indexOf('://');
  const sign = part.lastIndexOf('@');
  return scheme >= 0 && sign >= scheme + 3 ? part.slice(0, scheme + 3) + part.slice(sign + 1) : part;
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
