import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { httpErrors } from '../errors/app-error.js';

/** A query parameter that has to be there, once. */
@Injectable()
export class RequiredQuery implements PipeTransform<unknown, string> {
  transform(value: unknown, { data = 'a parameter' }: ArgumentMetadata): string {
    if (value === undefined || value === '') throw httpErrors.INVALID_REQUEST(`${data} is required`);
    if (typeof value !== 'string') throw httpErrors.INVALID_REQUEST(`${data} must be given once`);
    return value;
  }
}
