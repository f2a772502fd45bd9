import { type Json, isRecord, UNKNOWN } from './attribute-path.rules.js';
import { parseJson } from './policy-statements.rules.js';
import { someTruth, type Truth } from './truth.rules.js';

/** Longer texts are searched only so far: user data is at most 16 kB, environments 4 kB. */
const MAX_SEARCHED_CHARACTERS = 256 * 1024;
const ACCESS_KEY = /(?:^|[^A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/;
const ASSIGNMENT =
  /(?:password|passwd|secret_?(?:access_?)?key|api_?key|auth_?token)["']?\s{0,8}[=:]\s{0,8}\\?["']?[^\s"'$<{(\\*][^\s"']{3}/i;
const SECRET_NAME =
  /(?:^|[_-])(?:password|passwd|pwd|secret|secret_?key|secret_?access_?key|api_?key|access_?token|auth_?token|private_?key)$/i;
/** References to where a secret is kept, not the secret. */
const REFERENCE = /^(?:arn:|\/|\$|\{\{|ssm:|vault:|projects\/|https?:)/i;

/** Whether a text, or a map of names to texts, holds a credential. */
export function holdsCredential(value: Json | undefined, { base64 }: { base64: boolean }): Truth {
  if (value === UNKNOWN) return undefined;
  if (typeof value === 'string') {
    const text = base64 ? decoded(value) : value;
    const map = text.startsWith('{') ? parseJson(text) : undefined;
    if (isRecord(map)) return holdsCredential(map, { base64: false });
    const searched = text.slice(0, MAX_SEARCHED_CHARACTERS);
    return ACCESS_KEY.test(searched) || ASSIGNMENT.test(searched);
  }
  if (!isRecord(value)) return false;
  return someTruth(Object.entries(value), ([name, item]) => {
    if (item === UNKNOWN) return undefined;
    if (typeof item !== 'string') return false;
    if (ACCESS_KEY.test(item.slice(0, MAX_SEARCHED_CHARACTERS))) return true;
    return SECRET_NAME.test(name) && item.length >= 4 && !REFERENCE.test(item);
  });
}

function decoded(text: string): string {
  return Buffer.from(text.slice(0, 2 * MAX_SEARCHED_CHARACTERS), 'base64').toString('utf8');
}
