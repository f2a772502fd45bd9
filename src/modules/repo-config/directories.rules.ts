import type {
  DirectoryConfig,
  EngineConfig,
  OwnEngineConfig,
  RepoConfig,
  StateReference,
  WorkflowStep,
} from './config.schema.js';
import { directoryMatcher, parseTagQuery, type TaggedDirectory } from '../tag-query/index.js';
import { globMatcher, isGlob, MatchingBudget, MatchingTooLong } from './glob.rules.js';
import type { ChangedFiles } from './patterns.rules.js';
import { mistakeIn } from './config-source.js';

type Workflow = RepoConfig['workflows'][number];

const DEFAULT_WORKSPACE = 'default';
/** Of a configuration that names workspaces: each directory that it matches has all of them. */
const MAX_DIRSPACES = 20_000;
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
    // Git refuses to check such a path out; nothing else has to know it.
    if (path.split('/').includes('..')) continue;
    const slash = path.lastIndexOf('/');
    found.add(slash < 0 ? '.' : path.slice(0, slash));
  }
  return [...found].toSorted();
}

/**
 * Dirspaces of a repository. A directory that only `dirs` names is there when the tree has files for it. Throws
 * `InvalidRepoConfig` for globs and workspaces that would take too long.
 */
export function dirspacesOf(directories: readonly string[], config: RepoConfig): Dirspace[] {
  const find = directoryLookup(config);
  const findWorkflow = workflowLookup(config);
  let count = 0;
  return directories.flatMap((dir) => {
    const [key, own] = find(dir) ?? [];
    if (own && !own.enabled) return [];
    const workspaces = own?.workspaces ?? { [DEFAULT_WORKSPACE]: { tags: [], state: undefined } };
    if (own?.workspaces) count += Object.keys(own.workspaces).length;
    if (key !== undefined && count > MAX_DIRSPACES)
      throw mistakeIn(
        config.dirs,
        ['dirs', key, 'workspaces'],
        `must not give more than ${MAX_DIRSPACES} workspaces in all`,
      );
    return Object.entries(workspaces).map(([workspace, of]) => {
      const tags = [...new Set([...(own?.tags ?? []), ...of.tags])];
      const environment = definedEnvironment(own?.environment);
      const workflow = findWorkflow({ dir, workspace, tags: new Set(tags), ...environment });
      return {
        dir,
        workspace,
        tags,
        ...stateOf(own, of.state),
        ...runningOf(own, workflow, config),
        ...orderOf(own, workflow),
        ...triggersOf(own, config),
      } satisfies Dirspace;
    });
  });
}

/** The first workflow in the order of the file whose tag query matches. */
function workflowLookup(config: RepoConfig): (directory: TaggedDirectory) => Workflow | undefined {
  const workflows = config.workflows.map((workflow) => ({
    workflow,
    matches: directoryMatcher(parseTagQuery(workflow.tag_query)),
  }));
  return (directory) => workflows.find(({ matches }) => matches(directory))?.workflow;
}

function stateOf(
  own: DirectoryConfig | undefined,
  ofWorkspace: StateReference | undefined,
): Pick<Dirspace, 'mode' | 'state'> {
  const state = ofWorkspace ?? own?.state;
  return { mode: own?.mode ?? (state ? 'delta' : 'full'), ...(state ? { state } : {}) };
}

/** How plans and applies run: the directory's own setting, else the workflow's, else that of the file. */
function runningOf(
  own: DirectoryConfig | undefined,
  workflow: Workflow | undefined,
  config: RepoConfig,
): Pick<Dirspace, 'environment' | 'engine' | 'planSteps' | 'applySteps'> {
  return {
    ...definedEnvironment(own?.environment ?? workflow?.environment ?? config.run.environment),
    engine: engineOf(config.engine, workflow?.engine, own?.engine),
    planSteps: workflow?.plan ?? DEFAULT_PLAN,
    applySteps: workflow?.apply ?? DEFAULT_APPLY,
  };
}

/**
 * Each level goes before those above it. A version and a path belong to the program that they were given for, and each of
 * the two replaces the other of a level above: both say which program runs.
 */
function engineOf(whole: EngineConfig, ...levels: (OwnEngineConfig | undefined)[]): EngineConfig {
  return levels.reduce<EngineConfig>((above, level) => {
    const own = withoutUndefined(level ?? {});
    const isOther = own.name !== undefined && own.name !== above.name;
    const choosesProgram = isOther || own.version !== undefined || own.command !== undefined;
    return { ...(choosesProgram ? {} : above), name: above.name, ...own };
  }, whole);
}

function orderOf(
  own: DirectoryConfig | undefined,
  workflow: Workflow | undefined,
): Pick<Dirspace, 'lockPolicy' | 'dependsOn'> {
  return {
    lockPolicy: own?.lock_policy ?? workflow?.lock_policy ?? 'apply',
    dependsOn: own?.depends_on ?? [],
  };
}

function triggersOf(
  own: DirectoryConfig | undefined,
  config: RepoConfig,
): Pick<Dirspace, 'autoplan' | 'autoplanDraft' | 'autoapply' | 'filePatterns'> {
  const when = { ...config.when_modified, ...withoutUndefined(own?.when_modified ?? {}) };
  return {
    autoplan: when.autoplan,
    autoplanDraft: when.autoplan_draft,
    autoapply: when.autoapply,
    filePatterns: when.file_patterns,
  };
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

/** As a tag query sees a dirspace by this configuration, also one that is in no tree yet. */
export function taggingOf(
  config: RepoConfig,
): (place: Pick<Dirspace, 'dir' | 'workspace'>) => TaggedDirectory {
  const find = directoryLookup(config);
  const findWorkflow = workflowLookup(config);
  return ({ dir, workspace }) => {
    const own = find(dir)?.[1];
    const tags = new Set([...(own?.tags ?? []), ...(own?.workspaces?.[workspace]?.tags ?? [])]);
    const workflow = findWorkflow({ dir, workspace, tags, ...definedEnvironment(own?.environment) });
    const environment = own?.environment ?? workflow?.environment ?? config.run.environment;
    return { dir, workspace, tags, ...definedEnvironment(environment) };
  };
}

/** An exact key goes before globs, globs in the order of the file; the first that matches counts. */
function directoryLookup({ dirs }: RepoConfig): (dir: string) => [string, DirectoryConfig] | undefined {
  const budget = new MatchingBudget();
  const globs = Object.entries(dirs)
    .filter(([key]) => isGlob(key))
    .map(([key, config]) => ({ key, matches: globMatcher(key, budget), config }));
  return (dir) => {
    const exact = Object.hasOwn(dirs, dir) ? dirs[dir] : undefined;
    if (exact) return [dir, exact];
    for (const { key, matches, config } of globs)
      try {
        if (matches(dir)) return [key, config];
      } catch (error) {
        if (error instanceof MatchingTooLong) throw mistakeIn(dirs, ['dirs', key], error.message);
        throw error;
      }
    return undefined;
  };
}

function definedEnvironment(environment: string | undefined): { environment?: string } {
  return environment === undefined ? {} : { environment };
}

function withoutUndefined<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
