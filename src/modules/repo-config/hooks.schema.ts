import { z } from 'zod';

/** Interface 4.16: the hooks of a repository configuration, with every default. */
const MAX_HOOKS = 200;
const text = z.string().min(1).max(65_536);
const words = z.array(z.string().max(65_536)).min(1).max(1000);
const optionalText = text.optional();
const runOn = z.enum(['success', 'failure', 'always']).default('success');
const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/** What a gate may have, in the configuration and in the report of a runner. */
export const GATE_LIMITS = { textLength: 200, personLength: 1_000, people: 100, count: 1_000 };
const line = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must be one line without control characters');
const people = z.array(line(GATE_LIMITS.personLength)).max(GATE_LIMITS.people).default([]);

export const gateSchema = z.strictObject({
  token: line(GATE_LIMITS.textLength).regex(/^\S(?:[\s\S]*\S)?$/, 'must have no blanks at its ends'),
  name: line(GATE_LIMITS.textLength).optional(),
  all_of: people,
  any_of: people,
  any_of_count: z.int().min(1).max(GATE_LIMITS.count).default(1),
});

const envCommand = z.strictObject({
  type: z.literal('env'),
  name: variableName,
  cmd: words,
  trim_trailing_newlines: z.boolean().default(true),
  sensitive: z.boolean().default(false),
});
const envSource = z.strictObject({
  type: z.literal('env'),
  method: z.literal('source'),
  cmd: words,
  sensitive: z.boolean().default(false),
});
const run = z.strictObject({
  type: z.literal('run'),
  cmd: words,
  run_on: runOn,
  env: z.record(variableName, z.string()).default({}),
  ignore_errors: z.boolean().optional().describe('default false; true when on_error holds a gate'),
  visible_on: z.enum(['always', 'failure', 'success']).default('failure'),
  format: z
    .union([
      z.enum(['code', 'raw', 'markdown']),
      z.strictObject({ type: z.literal('code'), lang: z.string().regex(/^[A-Za-z0-9_+-]{0,32}$/) }),
    ])
    .default('code'),
  on_error: z
    .array(gateSchema.extend({ type: z.literal('gate') }))
    .max(20)
    .default([]),
});
const gates = z.strictObject({ type: z.literal('gates'), cmd: words, run_on: runOn });
const driftIssue = z.strictObject({
  type: z.literal('drift_create_issue'),
  group_by: z.enum(['all', 'dirspace']).default('all'),
});
const oidcAws = z.strictObject({
  type: z.literal('oidc'),
  provider: z.literal('aws').default('aws'),
  role_arn: text,
  assume_role_arn: optionalText,
  assume_role_enabled: z.boolean().default(true),
  audience: text.default('sts.amazonaws.com'),
  region: text.default('us-east-1'),
  session_name: text.default('infrastate'),
  duration: z.int().min(900).max(43_200).default(3600),
});
const oidcGcp = z.strictObject({
  type: z.literal('oidc'),
  provider: z.literal('gcp'),
  service_account: text,
  workload_identity_provider: text,
  access_token_lifetime: z.int().min(1).max(43_200).default(3600),
  audience: optionalText,
  access_token_subject: optionalText,
});
const oidcAzure = z.strictObject({
  type: z.literal('oidc'),
  provider: z.literal('azure'),
  client_id: text,
  tenant_id: text,
  subscription_id: text,
  audience: text.default('api://AzureADTokenExchange'),
});

export const hookSchema = z.union([
  envCommand,
  envSource,
  run,
  gates,
  driftIssue,
  oidcAws,
  oidcGcp,
  oidcAzure,
]);
const hooks = z.array(hookSchema).max(MAX_HOOKS);
const hookList = hooks.superRefine(refuseDriftIssues).default([]);
const hooksOfOperation = z.strictObject({ pre: hookList, post: hookList }).prefault({});

export const hooksSchema = z.strictObject({
  all: hooksOfOperation,
  plan: z.strictObject({ pre: hookList, post: hooks.default([]) }).prefault({}),
  apply: hooksOfOperation,
});

/** 4.16: only as a plan post-hook. */
export function refuseDriftIssues(list: readonly { type: string }[], context: z.RefinementCtx): void {
  for (const [at, { type }] of list.entries())
    if (type === 'drift_create_issue')
      context.addIssue({
        code: 'custom',
        path: [at, 'type'],
        message: 'must be in hooks.plan.post: issues about drift are made after a plan',
      });
}

export type Hook = z.output<typeof hookSchema>;
export type Hooks = z.output<typeof hooksSchema>;
export type Gate = z.output<typeof gateSchema>;

/** `all` stands before the operation's own in `pre`, and after them in `post`. */
export function hooksFor(hooks: Hooks, operation: 'plan' | 'apply'): { pre: Hook[]; post: Hook[] } {
  return {
    pre: [...hooks.all.pre, ...hooks[operation].pre],
    post: [...hooks[operation].post, ...hooks.all.post],
  };
}
