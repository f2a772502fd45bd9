import { Injectable, type PipeTransform } from '@nestjs/common';
import {
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { isStorable } from '../../platform/database/storable-text.js';
import { httpErrors } from '../../platform/errors/index.js';
import { MAX_KEY_BYTES } from './kv-limits.js';

function isKey(text: unknown): text is string {
  if (typeof text !== 'string' || text === '' || !isStorable(text)) return false;
  return Buffer.byteLength(text, 'utf8') <= MAX_KEY_BYTES;
}

const FORM = `must have 1 to ${MAX_KEY_BYTES} bytes of UTF-8 and no NUL character`;

/** The key of a path, decoded. */
@Injectable()
export class KeyParam implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    if (!isKey(value)) throw httpErrors.INVALID_REQUEST(`key ${FORM}`);
    return value;
  }
}

/** The key of a batch. */
@ValidatorConstraint({ name: 'isKvKey' })
export class IsKvKey implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return isKey(value);
  }

  defaultMessage({ property }: ValidationArguments): string {
    return `${property} ${FORM}`;
  }
}
