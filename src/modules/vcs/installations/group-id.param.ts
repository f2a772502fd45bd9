import { Injectable, type PipeTransform } from '@nestjs/common';
import { httpErrors } from '../../../platform/errors/index.js';

/** The numeric id of a group in a path, as text. */
@Injectable()
export class GroupIdParam implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!/^[1-9]\d{0,14}$/.test(value))
      throw httpErrors.INVALID_REQUEST('the id of a group must be a whole number');
    return value;
  }
}
