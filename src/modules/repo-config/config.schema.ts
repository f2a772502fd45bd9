import { z } from 'zod';
import { directoryMatcher, parseTagQuery } from '../tag-query/index.js';
import { isGlob } from './glob.rules.js';
import { hookSchema, hooksSchema, refuseDriftIssues } from './hooks.schema.js';

/** Longest text of a value; a path of Git has at most 4,096 bytes. */
const MAX_TEXT = 4096;
const MAX_ITEMS = 1000;

const text = z.string().min(1).max(MAX_TEXT);
const optionalText = text.optional();
const texts = z.array(text).max(MAX_ITEMS);
const tagQuery = z
  .string()
  .max(8192)
  .superRefine((query, context) => {
    const problem = problemOfTagQuery(query);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .describe('tag query over dir, workspace, environment and bare tags');
const people = z
  .array(
    z
      .string()
      .regex(
        /^(\*|(user|team):\S+|role:(read|triage|write|maintain|admin))$/,
        'must look like user:<name>, team:<slug>, role:read|triage|write|maintain|admin or *',
      ),
  )
  .max(MAX_ITEMS);
const directory = z
  .string()
  .min(1)
  .max(MAX_TEXT)
  .refine(isRepositoryPath, 'must be a path inside the repository, without .. and control characters')
  .describe('a directory of the repository, or a glob');

/** Undefined for what is a tag query. */
function problemOfTagQuery(query: string): string | undefined {
  try {
    directoryMatcher(parseTagQuery(query));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Relative, normalized, printable. A name that starts with a dash is fine: it never becomes an option. */
export function isRepositoryPath(path: string): boolean {
  if (path === '.') return true;
  // oxlint-disable-next-line no-control-regex -- the point of the check
  if (path.startsWith('/') || /[\u0000-\u001f\u007f\\]/.test(path)) return false;
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

const engineName = z.enum(['terraform', 'tofu']).describe('program that plans and applies');
const engineKeys = {
  version: z
    .string()
    .regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/, 'must be an exact version such as 1.11.4')
    .optional()
    .describe('exact version; without it the one on the PATH'),
  command: optionalText.describe('path of the program; name and version are then not looked up'),
};
export const engineSchema = z
  .strictObject({ name: engineName.default('terraform'), ...engineKeys })
  .describe('program that plans and applies');
/** Of a directory or a workflow: without defaults, because what it leaves out is inherited. */
const ownEngineSchema = z
  .strictObject({ name: engineName.optional(), ...engineKeys })
  .describe('program that plans and applies; omitted keys are inherited, unless another program is named');

const whenModifiedKeys = {
  file_patterns: texts.describe('globs of files whose change plans a directory; ${DIR} is the directory'),
  autoplan: z.boolean().describe('plan without a comment'),
  autoplan_draft: z.boolean().describe('plan drafts without a comment'),
  autoapply: z.boolean().describe('apply after the plan when nothing stands in the way'),
};
const whenModified = z.strictObject({
  file_patterns: whenModifiedKeys.file_patterns.default(['${DIR}/*.tf', '${DIR}/*.tfvars']),
  autoplan: whenModifiedKeys.autoplan.default(true),
  autoplan_draft: whenModifiedKeys.autoplan_draft.default(true),
  autoapply: whenModifiedKeys.autoapply.default(false),
});
/** Of a directory: `.partial()` of a schema with defaults would fill them in. */
const ownWhenModified = z
  .strictObject(whenModifiedKeys)
  .partial()
  .describe('keys that are left out count as at the top level');

const stateSchema = z.strictObject({
  group_id: z.guid().describe('id that the states of one configuration share'),
  workspace: optionalText.describe('workspace of the state; the workspace of the directory without it'),
});

const workspaceSchema = z.strictObject({
  tags: texts.default([]),
  state: stateSchema.optional(),
});

const lockPolicy = z
  .enum(['apply', 'none'])
  .describe('apply: an applied pull request holds the directory until it is merged, closed or unlocked');

const directorySchema = z.strictObject({
  enabled: z.boolean().default(true),
  tags: texts.default([]),
  workspaces: z.record(text, workspaceSchema.prefault({})).optional(),
  when_modified: ownWhenModified.optional(),
  environment: optionalText.describe('CI environment the run asks for'),
  engine: ownEngineSchema.optional(),
  mode: z.enum(['delta', 'full']).optional().describe('how a directory with a state is planned'),
  state: stateSchema.optional().describe('state of this service that the directory uses'),
  depends_on: texts.default([]).describe('directories or tag queries that are applied first'),
  lock_policy: lockPolicy.optional(),
});

const stepSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('init'), extra_args: texts.default([]) }),
  z.strictObject({ type: z.literal('plan'), extra_args: texts.default([]) }),
  z.strictObject({ type: z.literal('apply'), extra_args: texts.default([]) }),
]);
const workflowStep = z.union([stepSchema, hookSchema]);

const workflowSchema = z.strictObject({
  tag_query: tagQuery,
  plan: z
    .array(workflowStep)
    .max(100)
    .superRefine(refuseDriftIssues)
    .default([
      { type: 'init', extra_args: [] },
      { type: 'plan', extra_args: [] },
    ]),
  apply: z
    .array(workflowStep)
    .max(100)
    .superRefine(refuseDriftIssues)
    .default([
      { type: 'init', extra_args: [] },
      { type: 'apply', extra_args: [] },
    ]),
  engine: ownEngineSchema.optional(),
  environment: optionalText,
  lock_policy: lockPolicy.optional(),
});

const approved = z.strictObject({
  enabled: z.boolean().default(false),
  all_of: people.default([]),
  any_of: people.default([]),
  any_of_count: z.int().min(1).max(100).default(1),
});
const statusChecks = z.strictObject({
  enabled: z.boolean().default(true),
  ignore_matching: texts.default([]).describe('globs of status checks that do not count'),
});
const switchedOn = z.strictObject({ enabled: z.boolean().default(true) });
const switchedOff = z.strictObject({ enabled: z.boolean().default(false) });
const requirements = {
  approved: approved.prefault({}),
  merge_conflicts: switchedOn.prefault({}),
  status_checks: statusChecks.prefault({}),
  ready_for_review: switchedOn.prefault({}),
  apply_after_merge: switchedOff.prefault({}),
};

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a UTC time such as 09:30');
const scheduleSchema = z.strictObject({
  schedule: z.enum(['hourly', 'daily', 'weekly', 'monthly']),
  tag_query: tagQuery.default(''),
  reconcile: z.boolean().default(false).describe('apply what the drift run planned'),
  window: z.strictObject({ start: clock, end: clock }).optional().describe('UTC times between which it runs'),
});

/** `.infrastate/config.yml`: the one source of its parser, its defaults and its JSON Schema. */
export const repoConfigSchema = z
  .strictObject({
    version: z.literal(1).default(1).describe('version of this format'),
    enabled: z.boolean().default(true).describe('false: nothing is planned or applied'),
    destination_branches: texts.optional().describe('globs of branches; the default branch without it'),
    checkout: z
      .enum(['merge', 'head'])
      .default('merge')
      .describe('merge: the head with the base merged in; head: the head alone'),
    engine: engineSchema.prefault({}),
    when_modified: whenModified.prefault({}),
    dirs: z
      .record(directory, directorySchema.prefault({}))
      .refine(
        (dirs) => Object.keys(dirs).filter(isGlob).length <= MAX_ITEMS,
        `must not have more than ${MAX_ITEMS} globs`,
      )
      .default({}),
    workflows: z.array(workflowSchema).max(MAX_ITEMS).default([]),
    hooks: hooksSchema.prefault({}),
    access_control: z
      .strictObject({
        plan: people.default(['role:write']),
        apply: people.default(['role:write']),
        unlock: people.default(['role:write']),
        apply_autoapprove: people.default(['role:admin']),
        apply_force: people.default(['role:admin']),
      })
      .prefault({}),
    apply_requirements: z
      .strictObject({
        ...requirements,
        checks: z
          .array(z.strictObject({ tag_query: tagQuery, ...requirements }))
          .max(MAX_ITEMS)
          .default([])
          .describe('other requirements for some directories; the first that matches counts'),
      })
      .prefault({}),
    drift: z
      .strictObject({
        enabled: z.boolean().default(false),
        schedules: z.record(text, scheduleSchema).default({}),
      })
      .prefault({}),
    run: z
      .strictObject({
        on: z.enum(['ci', 'pool']).default('ci').describe('where runs happen'),
        pool: optionalText.describe('name of the runner pool'),
        workflow: text
          .regex(/^(?!\.{1,2}$)[^/]+$/, 'must be the name of a file in .github/workflows, without folders')
          .default('infrastate.yml')
          .describe(
            'file name of the workflow in .github/workflows; GitLab has one pipeline file and ignores it',
          ),
        runs_on: optionalText.describe('label of the CI runner'),
        environment: optionalText.describe('CI environment'),
        timeout_minutes: z.int().min(1).max(1440).default(60),
        parallel: z.int().min(1).max(32).default(3).describe('directories at the same time'),
      })
      .prefault({}),
    indexer: switchedOff.prefault({}),
    config_builder: z
      .strictObject({ enabled: z.boolean().default(false), cmd: texts.default([]) })
      .prefault({}),
    automerge: z
      .strictObject({ enabled: z.boolean().default(false), delete_branch: z.boolean().default(false) })
      .prefault({}),
    cost_estimation: switchedOn.prefault({}),
    security: switchedOn.prefault({}),
  })
  .describe('Repository configuration of the Infrastructure State Service');

export type RepoConfig = z.output<typeof repoConfigSchema>;
export type DirectoryConfig = z.output<typeof directorySchema>;
export type EngineConfig = z.output<typeof engineSchema>;
export type OwnEngineConfig = z.output<typeof ownEngineSchema>;
export type StateReference = z.output<typeof stateSchema>;
export type WorkflowStep = z.output<typeof workflowStep>;
export type ApplyRequirements = Omit<RepoConfig['apply_requirements'], 'checks'>;

/** What counts where a repository has no file. */
export const DEFAULT_CONFIG: RepoConfig = repoConfigSchema.parse({});

/** JSON Schema (2020-12) of the file, for editors and for `GET /config-schema`. */
export function configJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(repoConfigSchema, { target: 'draft-2020-12', io: 'input', reused: 'ref' });
}
