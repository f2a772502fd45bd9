import { z } from 'zod';
import { isRecord } from '../../../platform/json/is-record.js';

/*
 * What a version 4 document may hold (Terraform 1.11, `statefile/version4.go`). Of a document with anything else
 * Terraform reads nothing, so that one bad entry would keep everybody from the whole state.
 */

const IDENTIFIER = String.raw`[\p{ID_Start}_][\p{ID_Continue}-]*`;
/** Templates are not allowed in the text of a key, nor lines, only their escapes. */
const KEY = String.raw`\[(?:\d{1,18}|"(?:\\(?:[nrt"\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})|\$\$\{|%%\{|(?![$%]\{)[^"\\\n\r])*")\]`;
const CALL = String.raw`module\.${IDENTIFIER}(?:${KEY})?`;
const MODULE = new RegExp(String.raw`^(?:${CALL}(?:\.${CALL})*)?$`, 'u');
const DEPENDENCY = new RegExp(
  String.raw`^((?:${CALL}\.)*(?:(?:data|ephemeral)\.)?(?!module\.)${IDENTIFIER}\.${IDENTIFIER})(?:${KEY})?$`,
  'u',
);
/** What a check is about, in the configuration and in the state. Only resources have instances. */
const CHECKED = String.raw`(?:check|output|var)\.${IDENTIFIER}`;
const CHECKED_RESOURCE = String.raw`(?:data\.|ephemeral\.)?(?!(?:module|check|output|var)\.)${IDENTIFIER}\.${IDENTIFIER}`;
const CHECKED_CONFIGURATION = new RegExp(
  String.raw`^(?:module\.${IDENTIFIER}\.)*(?:${CHECKED}|${CHECKED_RESOURCE})$`,
  'u',
);
const CHECKED_OBJECT = new RegExp(
  String.raw`^(?:${CALL}\.)*(?:${CHECKED}|${CHECKED_RESOURCE}(?:${KEY})?)$`,
  'u',
);
/** As it is known to its registry, or as a document has it; of an object with any other Terraform does not know that it is there. */
const PART = String.raw`[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*`;
const HOST = String.raw`[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*(?::\d{1,5})?`;
const SOURCE = String.raw`(?:(?:${HOST}/)?(?:${PART}|-)/)?(?!terraform-)${PART}`;
const IN_DOCUMENT = String.raw`(?:module\.${IDENTIFIER}\.)*provider(?:\["${SOURCE}"\]|\.${IDENTIFIER})(?:\.${IDENTIFIER}(?:${KEY})?)?`;
const PROVIDER = new RegExp(`^(?:${SOURCE}|${IN_DOCUMENT})$`, 'u');
const VERSION = /^(?:v?\d{1,9}(?:\.\d{1,9})*(?:-[\w~-]+(?:\.[\w~-]+)*)?(?:\+[\w~-]+(?:\.[\w~-]+)*)?)?$/;
const CHECKED_KIND = /(?:^|\.)(check|output|var)\.[^.]+$/;

const ANY = z.unknown();
const COUNT = z.int().min(0).nullish();
const STEP = z.discriminatedUnion('type', [
  z.object({ type: z.literal('get_attr'), value: z.string() }),
  z.object({
    type: z.literal('index'),
    value: z
      .object({ value: ANY, type: ANY })
      .refine(({ value, type }) => isType(type) && isOfType(value, type)),
  }),
]);

export const MODULE_ADDRESS = z.string().max(4096).regex(MODULE).nullish();
export const PROVIDER_CONFIGURATION = z.string().max(1024).regex(PROVIDER).nullish();
export const RESOURCE_TYPE = z
  .string()
  .max(1024)
  .regex(new RegExp(`^${IDENTIFIER}$`, 'u'));
export const TERRAFORM_VERSION = z.string().max(100).regex(VERSION);

const CHECK_STATUS = z.enum(['pass', 'fail', 'error', 'unknown']);
const CHECKED_ADDRESS = z.string().max(100_000).regex(CHECKED_CONFIGURATION);

/** Terraform ends with a crash when an address is of another kind than is said. */
export const CHECK_RESULT = z
  .object({ config_addr: CHECKED_ADDRESS, object_kind: z.string().min(1).max(1024), status: CHECK_STATUS })
  .refine(({ config_addr: address, object_kind: kind }) => kindOf(address) === kind, {
    path: ['object_kind'],
  });

export const CHECK_RESULT_ENTRY = z.object({
  config_addr: CHECKED_ADDRESS,
  object_addr: z.string().max(100_000).regex(CHECKED_OBJECT),
  status: CHECK_STATUS,
  failure_messages: z.array(z.string()).nullish(),
});

function kindOf(address: string): string {
  return CHECKED_KIND.exec(address)?.[1] ?? 'resource';
}

/** Fields of an instance, as a document has them. */
export const INSTANCE_FIELDS = {
  attributes: z.record(z.string(), ANY).nullish(),
  attributes_flat: z.record(z.string(), z.string()).nullish(),
  create_before_destroy: z.boolean().nullish(),
  dependencies: z.array(z.string().max(100_000).regex(DEPENDENCY)).nullish(),
  deposed: z
    .string()
    .regex(/^[!-~]{8}$/)
    .nullish(),
  identity_schema_version: COUNT,
  // A larger number would lose digits on its way.
  index_key: z.union([z.string(), z.int()]).nullish(),
  private: z.base64().nullish(),
  schema_version: COUNT,
  sensitive_attributes: z.array(z.array(STEP)).nullish(),
  status: z.enum(['', 'tainted']).nullish(),
};

/** A dependency is on a resource: the key of an instance, which clients may name, is no part of it. */
export function resourceOf(dependency: string): string {
  return DEPENDENCY.exec(dependency)?.[1] ?? dependency;
}

const MOST_NESTED = 100;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const PRIMITIVES: readonly unknown[] = ['string', 'number', 'bool', 'dynamic'];

/** A type as Terraform writes it: `"string"`, `["list", "number"]`, `["object", {"a": "bool"}]`. */
export function isType(type: unknown, levels = MOST_NESTED): boolean {
  if (PRIMITIVES.includes(type)) return true;
  if (levels === 0 || !Array.isArray(type)) return false;
  const [kind, element, ...others] = type as unknown[];
  if (others.length > 0 && kind !== 'object') return false;
  switch (kind) {
    case 'list':
    case 'set':
    case 'map':
      return isType(element, levels - 1);
    case 'tuple':
      return Array.isArray(element) && element.every((each) => isType(each, levels - 1));
    case 'object':
      return (
        isRecord(element) &&
        Object.values(element).every((each) => isType(each, levels - 1)) &&
        areOptional(others, element)
      );
    default:
      return false;
  }
}

/** Behind the attributes of an object may stand the names of those that need not be given. */
function areOptional([names = [], ...others]: unknown[], attributes: Record<string, unknown>): boolean {
  return (
    others.length === 0 &&
    Array.isArray(names) &&
    names.every((name) => typeof name === 'string' && Object.hasOwn(attributes, name))
  );
}

/** Whether a value is of a type; null is of every one. */
export function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return true;
  if (!Array.isArray(type)) return isPrimitive(value, type);
  const [kind, element] = type as [string, unknown];
  switch (kind) {
    case 'map':
      return isRecord(value) && Object.values(value).every((each) => isOfType(each, element));
    case 'object':
      return isRecord(value) && hasAttributes(value, element as Record<string, unknown>);
    case 'tuple':
      return Array.isArray(value) && hasElements(value, element as unknown[]);
    default:
      return Array.isArray(value) && value.every((each) => isOfType(each, element));
  }
}

/** Some may be missing, but there are no others. */
function hasAttributes(value: Record<string, unknown>, types: Record<string, unknown>): boolean {
  return Object.entries(value).every(
    ([name, each]) => Object.hasOwn(types, name) && isOfType(each, types[name]),
  );
}

function hasElements(value: unknown[], types: unknown[]): boolean {
  return value.length === types.length && value.every((each, i) => isOfType(each, types[i]));
}

function isPrimitive(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'string':
      return ['string', 'number', 'boolean'].includes(typeof value);
    case 'number':
      return typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value));
    case 'bool':
      return typeof value === 'boolean' || ['true', 'false', '1', '0'].includes(value as string);
    default:
      return isRecord(value) && isTyped(value);
  }
}

/** A value that says itself of which type it is. */
function isTyped({ type, value, ...others }: Record<string, unknown>): boolean {
  return Object.keys(others).length === 0 && isType(type) && isOfType(value, type);
}
