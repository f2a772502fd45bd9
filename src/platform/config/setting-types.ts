import { z } from 'zod';

export const flag = z
  .string()
  .transform((v) => ['1', 'true', 'yes', 'on'].includes(v.toLowerCase()))
  .pipe(z.boolean());
/** On for every text but the four that say no. */
export const onUnlessOff = z
  .string()
  .transform((v) => !['0', 'false', 'no', 'off'].includes(v.trim().toLowerCase()))
  .pipe(z.boolean());
export const count = (fallback: number, min = 0) => z.coerce.number().int().min(min).default(fallback);
export const port = (fallback: number, min = 0) =>
  z.coerce.number().int().min(min).max(65_535).default(fallback);

const BYTE_UNITS: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** `512m` → bytes; units k, m and g are binary. Source: interface.md section 8 (`SERVICE_CLIENT_MAX_BODY_SIZE`). */
export function parseByteSize(text: string): number {
  const match = /^(\d+)\s*([kmg]?)b?$/i.exec(text.trim());
  const unit = match ? BYTE_UNITS[(match[2] ?? '').toLowerCase()] : undefined;
  if (!match || unit === undefined) throw new Error(`"${text}" is not a size such as 512m`);
  return Number(match[1]) * unit;
}

/** What the parser throws is the reason that the variable is refused with. */
export const parsedWith =
  <T>(parse: (text: string) => T) =>
  (text: string, context: z.RefinementCtx): T => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  };

export const byteSize = (fallback: string) =>
  z.string().default(fallback).transform(parsedWith(parseByteSize));
