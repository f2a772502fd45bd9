import { type ArgumentMetadata, type Type, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { isStorable } from '../database/storable-text.js';
import { httpErrors } from '../errors/app-error.js';
import { nearest } from '../text/did-you-mean.js';
import { fieldNamesOf, plainToInstance } from './dto-instance.js';

/** Also refuses text that the database cannot keep. What a body holds deeper is the business of whoever reads it. */
class RequestValidation extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' || metadata.type === 'query')
      refuseMisspelled(value, fieldNamesOf(metadata.metatype));
    const sent = metadata.type === 'body' ? namedFieldsOf(value, metadata.metatype) : value;
    if (metadata.type !== 'custom') refuseOddText(sent, metadata.data ?? metadata.type);
    return super.transform(sent, metadata) as Promise<unknown>;
  }
}

/** In place of class-transformer. Its types know no class that is an object and no value that stays as it is. */
const transformer = {
  plainToInstance: <T>(type: Type<T>, value: unknown) => plainToInstance(type as Type<object>, value) as T,
  classToPlain: (value: unknown) => value as object,
};

/** Whole-body validation: unknown fields are dropped unless they look like a known one, the first broken field is named, its value never echoed. */
export const requestValidation = new RequestValidation({
  whitelist: true,
  transform: true,
  transformerPackage: transformer,
  exceptionFactory: (errors) => httpErrors.INVALID_REQUEST(firstReason(errors)),
});

function firstReason(errors: readonly ValidationError[], path = ''): string {
  const error = errors[0];
  if (!error) return 'the request is malformed';
  const name = path ? `${path}.${error.property}` : error.property;
  if (error.children?.length) return firstReason(error.children, name);
  if (error.value === undefined) return `${name} is required`;
  const broken = Object.entries(error.constraints ?? {});
  const isOdd = NOT_OF_ITS_KIND.filter(({ isOfKind }) => !isOfKind(error.value));
  const [, reason] = broken.find(([rule]) => !isOdd.some(({ rules }) => rules.has(rule))) ??
    broken[0] ?? ['', 'is invalid'];
  return path ? `${path}: ${reason}` : reason;
}

/** What is no text, or no number, breaks these too, but its length or size is not what is wrong with it. */
const NOT_OF_ITS_KIND: { isOfKind: (value: unknown) => boolean; rules: ReadonlySet<string> }[] = [
  {
    isOfKind: (value) => typeof value === 'string',
    rules: new Set(['isLength', 'minLength', 'maxLength', 'matches', 'isNotEmpty']),
  },
  {
    isOfKind: (value) => typeof value === 'number' && !Number.isNaN(value),
    rules: new Set(['min', 'max']),
  },
];

/** The pipe walks all it is given several times: it is given what the DTO names. */
function namedFieldsOf(value: unknown, type: unknown): unknown {
  const names = fieldNamesOf(type);
  if (names.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const named: Record<string, unknown> = {};
  for (const name of names)
    if (Object.hasOwn(value, name)) named[name] = (value as Record<string, unknown>)[name];
  return named;
}

/** Unknown fields that are looked at; a body may have thousands. */
const MAX_COMPARED = 50;
const SHORTEST_COMPARED = 4;

/** A field that nobody knows may come from a newer client. One that looks like a known field is a mistake of the sender's. */
function refuseMisspelled(value: unknown, names: readonly string[]): void {
  if (names.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return;
  let seen = 0;
  for (const field in value) {
    if (++seen > names.length + MAX_COMPARED) return;
    if (field.length < SHORTEST_COMPARED || names.includes(field) || !Object.hasOwn(value, field)) continue;
    const meant = nearest(field, names, field.length < 6 ? 1 : 2);
    if (meant !== undefined && !Object.hasOwn(value, meant))
      throw httpErrors.INVALID_REQUEST(`${JSON.stringify(field)} is unknown, did you mean "${meant}"?`);
  }
}

function refuseOddText(value: unknown, name: string): void {
  // A body as bytes is looked at by whoever reads it.
  if (Buffer.isBuffer(value)) return;
  const fields =
    typeof value === 'object' && value !== null ? Object.entries(value) : [[name, value] as const];
  for (const [field, text] of fields) {
    if (typeof text === 'string' && !isStorable(text))
      throw httpErrors.INVALID_REQUEST(`${field} contains characters that cannot be stored`);
  }
}
