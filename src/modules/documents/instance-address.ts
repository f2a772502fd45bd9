import { hash } from 'node:crypto';

/** uuid text of the first 16 bytes of a SHA-256: the key under which an address of any length is stored. */
export function keyOf(address: string, deposed?: string): string {
  const hex = hash('sha256', deposed === undefined ? address : `${address}\0${deposed}`, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

export function resourceAddress(
  module: string | undefined,
  mode: string,
  type: string,
  name: string,
): string {
  const local = mode === 'data' ? `data.${type}.${name}` : `${type}.${name}`;
  return module ? `${module}.${local}` : local;
}

/** `aws_x.y`, `aws_x.y[0]` or `aws_x.y["key"]`, quoted as Terraform prints it. */
export function instanceAddress(resource: string, indexKey: string | number | undefined): string {
  if (indexKey === undefined) return resource;
  return typeof indexKey === 'number' ? `${resource}[${indexKey}]` : `${resource}[${quoteKey(indexKey)}]`;
}

/** The address as a configuration says it: no key on the resource, nor on any module around it. */
export function withoutKeys(address: string): string {
  return address.replace(/\[(?:"(?:[^"\\]|\\.)*"|[^\]"]*)\]/g, '');
}

const PLAIN = /^[\w /.:@-]*$/;
const ESCAPES: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function quoteKey(key: string): string {
  if (PLAIN.test(key)) return `"${key}"`;
  let text = '';
  const runes = [...key];
  runes.forEach((rune, i) => {
    if ((rune === '$' || rune === '%') && runes[i + 1] === '{') text += rune + rune;
    else text += ESCAPES[rune] ?? (PRINTABLE.test(rune) ? rune : unicodeEscape(rune));
  });
  return `"${text}"`;
}

/** What Go's `unicode.IsPrint` accepts. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function unicodeEscape(rune: string): string {
  const code = (rune.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}

const QUALIFIED = /provider\["([^"]+)"\]/;
const LEGACY = /(?:^|\.)provider\.([\w-]+)/;

/**
 * `provider["registry.terraform.io/hashicorp/aws"].alias` → `registry.terraform.io/hashicorp/aws`; the legacy
 * `provider.aws` of 0.12 → `registry.terraform.io/-/aws`, as Terraform reads it.
 */
export function providerSource(text: string): string {
  const qualified = QUALIFIED.exec(text)?.[1];
  if (qualified) return qualified;
  const legacy = LEGACY.exec(text)?.[1];
  return legacy ? `registry.terraform.io/-/${legacy}` : text;
}
