import type {
  DirectoryConfig,
  EngineConfig,
  RepoConfig,
  StateReference,
  WorkflowStep,
} from './config.schema.js';
import { directoryMatcher, parseTagQuery, type TaggedDirectory } from '../tag-query/index.js';
import { globMatcher, isGlob } from './glob.rules.js';
import type { ChangedFiles } from './patterns.rules.js';

const DEFAULT_WORKSPACE = 'default';
const CONFIGURATION_FILE = /\.(tf|tofu|tf\.json|tofu\.json)$/;

/** A directory in a workspace with everything that counts for it. */
export interface Dirspace {
  dir: string;
  workspace: string;
  tags: string[];
  environment?: string;
  engine: EngineConfig;
  mode: 'delta' | 'full';
  state?: StateReference;
  lockPolicy: 'apply' | 'none';
  dependsOn: string[];
  planSteps: WorkflowStep[];
  applySteps: WorkflowStep[];
  autoplan: boolean;
  autoplanDraft: boolean;
  autoapply: boolean;
  filePatterns: string[];
}

/** Every directory of a tree with Terraform files, sorted; `.` is the top. */
export function rootDirectories(paths: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    if (!CONFIGURATION_FILE.test(path) || path.includes('.terraform/')) continue;
    const slash = path.lastIndexOf('/');
    found.add(slash < 0 ? '.' : path.slice(0, slash));
  }
  return [...found].toSorted();
}

/** Dirspaces of a repository. A directory that only `dirs` names is there when the tree has files for it. */
export function dirspacesOf(directories: readonly string[], config: RepoConfig): Dirspace[] {
  const find = directoryLookup(config);
  const workflows = config.workflows.map((workflow) => ({
    workflow,
    matches: directoryMatcher(parseTagQuery(workflow.tag_query)),
  }));
  return directories.flatMap((dir) => {
    const own = find(dir);
    if (own && !own.enabled) return [];
    const workspaces = own?.workspaces ?? { [DEFAULT_WORKSPACE]: { tags: [], state: undefined } };
    return Object.entries(workspaces).map(([workspace, of]) => {
      const tags = [...new Set([...(own?.tags ?? []), ...of.tags])];
      const tagged: TaggedDirectory = {
        dir,
        workspace,
        tags: new Set(tags),
        ...definedEnvironment(own?.environment),
      };
      const workflow = workflows.find(({ matches }) => matches(tagged))?.workflow;
      const state = of.state ?? own?.state;
      const when = { ...config.when_modified, ...withoutUndefined(own?.when_modified ?? {}) };
      return {
        dir,
        workspace,
        tags,
        ...definedEnvironment(own?.environment ?? workflow?.environment ?? config.run.environment),
        engine: own?.engine ?? workflow?.engine ?? config.engine,
        mode: own?.mode ?? (state ? 'delta' : 'full'),
        ...(state ? { state } : {}),
        lockPolicy: own?.lock_policy ?? workflow?.lock_policy ?? 'apply',
        dependsOn: own?.depends_on ?? [],
        planSteps: workflow?.plan ?? DEFAULT_PLAN,
        applySteps: workflow?.apply ?? DEFAULT_APPLY,
        autoplan: when.autoplan,
        autoplanDraft: when.autoplan_draft,
        autoapply: when.autoapply,
        filePatterns: when.file_patterns,
      } satisfies Dirspace;
    });
  });
}

const DEFAULT_PLAN: WorkflowStep[] = [
  { type: 'init', extra_args: [] },
  { type: 'plan', extra_args: [] },
];
const DEFAULT_APPLY: WorkflowStep[] = [
  { type: 'init', extra_args: [] },
  { type: 'apply', extra_args: [] },
];

/** `uses`: the directories that a directory uses besides itself, where an index knows them. */
export function changedDirspaces(
  dirspaces: readonly Dirspace[],
  changes: ChangedFiles,
  uses: (dir: string) => Iterable<string> = (dir) => [dir],
): Dirspace[] {
  return dirspaces.filter(({ dir, filePatterns }) =>
    [...uses(dir)].some((used) => changes.touches(used, filePatterns)),
  );
}

/** As a tag query of a comment sees a dirspace. */
export function taggedDirectory({ dir, workspace, tags, environment }: Dirspace): TaggedDirectory {
  return { dir, workspace, tags: new Set(tags), ...definedEnvironment(environment) };
}

/** An exact key goes before globs, globs in the order of the file; the first that matches counts. */
function directoryLookup({ dirs }: RepoConfig): (dir: string) => DirectoryConfig | undefined {
  const globs = Object.entries(dirs)
    .filter(([key]) => isGlob(key))
    .map(([key, config]) => ({ matches: globMatcher(key), config }));
  return (dir) => (Object.hasOwn(dirs, dir) ? dirs[dir] : globs.find(({ matches }) => matches(dir))?.config);
}

function definedEnvironment(environment: string | undefined): { environment?: string } {
  return environment === undefined ? {} : { environment };
}

function withoutUndefined<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
