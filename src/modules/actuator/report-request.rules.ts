import { z } from 'zod';

const CODES = ['exec_failed', 'timeout', 'refused', 'plan_stale', 'state_write_failed'] as const;
const REASON = z.object({ code: z.enum(CODES), message: z.string().max(64 * 1024) });
const DOCUMENT = z.record(z.string(), z.unknown());

const REQUEST = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('preview'),
    has_changes: z.boolean(),
    plan: z.string(),
    plan_json: DOCUMENT,
  }),
  z.object({ kind: z.literal('commit'), output: z.string(), state: DOCUMENT }),
  z.object({ kind: z.literal('commit_failed'), failure: z.object({ reason: REASON }), state: DOCUMENT }),
  z.object({ kind: z.literal('failure'), reason: REASON }),
  z.object({ kind: z.literal('chunk'), data: z.string().max(32 * 1024 * 1024) }),
  z.object({ kind: z.literal('done') }),
]);
const BODY = z.object({ idx: z.number().int().min(0).max(1_000_000), request: REQUEST });

/** What a runner reports (contract-notes.md section 3). */
export type ReportRequest = z.infer<typeof REQUEST>;
export type FailureReason = z.infer<typeof REASON>;

/** The body of one report, or what is wrong with it; its values are never quoted. */
export function readReport(text: string): z.infer<typeof BODY> | string {
  return parsed(BODY, text);
}

/** A request that came in parts, put together again. */
export function readRequest(text: string): ReportRequest | string {
  return parsed(REQUEST, text);
}

function parsed<T>(shape: z.ZodType<T>, text: string): T | string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'the body is not JSON';
  }
  const found = shape.safeParse(body);
  if (found.success) return found.data;
  const path = found.error.issues[0]?.path.join('.') ?? '';
  return path === ''
    ? 'the body does not have the expected shape'
    : `${path.slice(0, 100)} is missing or malformed`;
}
