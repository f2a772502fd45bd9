import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { httpErrors } from '../errors/app-error.js';

/** Whole-body validation: unknown fields are dropped, the first broken field is named, its value never echoed. */
export const requestValidation = new ValidationPipe({
  whitelist: true,
  transform: true,
  transformOptions: { exposeUnsetFields: false },
  exceptionFactory: (errors) => httpErrors.INVALID_REQUEST(firstReason(errors)),
});

function firstReason(errors: readonly ValidationError[], path = ''): string {
  const error = errors[0];
  if (!error) return 'the request is malformed';
  const name = path ? `${path}.${error.property}` : error.property;
  if (error.children?.length) return firstReason(error.children, name);
  const reason = Object.values(error.constraints ?? {})[0] ?? 'is invalid';
  return path ? `${path}: ${reason}` : reason;
}
