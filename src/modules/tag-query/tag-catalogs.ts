/** What the value of a key must look like. `kind` is one of the kinds of a run (notes 9.6). */
export type TagType = 'text' | 'uuid' | 'integer' | 'boolean' | 'kind' | 'date';

export type TagCatalog = Readonly<Record<string, TagType>>;

/** Keys of the lists of dirspaces and of work manifests. */
export const RUN_TAGS = {
  id: 'uuid',
  branch: 'text',
  repo: 'text',
  user: 'text',
  environment: 'text',
  kind: 'kind',
  type: 'text',
  created_at: 'date',
  pr: 'integer',
  dir: 'text',
  workspace: 'text',
  state: 'text',
} as const satisfies TagCatalog;

/** Keys of the list of a work manifest's step outputs. */
export const OUTPUT_TAGS = {
  flow: 'text',
  subflow: 'text',
  scope: 'text',
  step: 'text',
  idx: 'integer',
  ignore_errors: 'boolean',
  state: 'text',
  dir: 'text',
  workspace: 'text',
} as const satisfies TagCatalog;

export const RUN_KINDS = ['pull_request', 'drift', 'index'] as const;

/** Keys that select directories in comments and in the repository configuration, beside bare tags. */
export const DIRECTORY_KEYS = ['dir', 'workspace', 'environment'] as const;
