import { httpErrors } from '../../../platform/errors/index.js';

/** The query's `currency`; 400 for what is no ISO code. */
export function currencyParameter(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^[A-Za-z]{3}$/.test(value))
    throw httpErrors.INVALID_REQUEST('currency must be an ISO 4217 code such as USD');
  return value.toUpperCase();
}
