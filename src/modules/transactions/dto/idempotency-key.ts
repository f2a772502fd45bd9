import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { httpErrors } from '../../../platform/errors/index.js';

const KEY = /^[\x21-\x7e]{1,128}$/;

/** The value of `Idempotency-Key`: 1 to 128 visible ASCII characters, or none. */
export const IdempotencyKey = createParamDecorator(
  (_data: unknown, context: ExecutionContext): string | undefined => {
    const key = context.switchToHttp().getRequest<Request>().get('idempotency-key');
    if (key === undefined || KEY.test(key)) return key;
    throw httpErrors.INVALID_REQUEST('Idempotency-Key must be 1 to 128 visible ASCII characters');
  },
);

/** A step that may be asked for again: who did not get the answer sends the same key. */
export function TakesStepKey(): MethodDecorator {
  return takesKey(
    'Chosen by the caller. While the step runs, the same credential gets the same task and a new token for the same key, instead of 409.',
  );
}

/** Entries that may be sent again: who did not get the answer sends the same key. */
export function TakesAppendKey(): MethodDecorator {
  return takesKey(
    'Chosen by the caller. The entries of several requests of the same credential with the same key are appended once.',
  );
}

function takesKey(description: string): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description,
      schema: { type: 'string', minLength: 1, maxLength: 128 },
    }),
  );
}
