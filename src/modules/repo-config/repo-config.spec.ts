import fc from 'fast-check';
import { parseGivenConfig, parseRepoConfig } from './config.parser.js';
import {
  configJsonSchema,
  DEFAULT_CONFIG,
  isRepositoryPath,
  type RepoConfig,
  repoConfigSchema,
} from './config.schema.js';
import { changedDirspaces, type Dirspace, dirspacesOf, rootDirectories } from './directories.rules.js';
import { explainConfig } from './explained-config.rules.js';
import { globMatcher, MatchingBudget } from './glob.rules.js';
import { hooksFor } from './hooks.schema.js';
import {
  dependenciesOf,
  DependencyCycle,
  dirspaceKey,
  readyDirspaces,
  unmatchedDependencies,
} from './layers.rules.js';
import { ChangedFiles } from './patterns.rules.js';
import { InvalidRepoConfig } from './repo-config.errors.js';
import { effectiveConfig } from './trust.rules.js';

const FILE = '.infrastate/config.yml';
const parse = (text: string) => parseRepoConfig(text, FILE);

function mistakesOf(text: string) {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof InvalidRepoConfig) return error.mistakes;
    throw error;
  }
  return [];
}

describe('parsing a repository configuration', () => {
  it('gives every default for an empty file', () => {
    expect(parse('')).toEqual(DEFAULT_CONFIG);
    expect(DEFAULT_CONFIG).toMatchObject({
      version: 1,
      enabled: true,
      checkout: 'merge',
      engine: { name: 'terraform' },
      when_modified: {
        file_patterns: ['${DIR}/*.tf', '${DIR}/*.tfvars'],
        autoplan: true,
        autoplan_draft: true,
        autoapply: false,
      },
      access_control: {
        plan: ['role:write'],
        apply: ['role:write'],
        unlock: ['role:write'],
        apply_autoapprove: ['role:admin'],
        apply_force: ['role:admin'],
      },
      apply_requirements: {
        approved: { enabled: false, all_of: [], any_of: [], any_of_count: 1 },
        merge_conflicts: { enabled: true },
        status_checks: { enabled: true, ignore_matching: [] },
        ready_for_review: { enabled: true },
        apply_after_merge: { enabled: false },
        checks: [],
      },
      drift: { enabled: false, schedules: {} },
      run: { on: 'ci', workflow: 'infrastate.yml', timeout_minutes: 60, parallel: 3 },
      indexer: { enabled: false },
      automerge: { enabled: false, delete_branch: false },
      cost_estimation: { enabled: true },
      security: { enabled: true },
    });
  });

  it('names file, line and key of every mistake and suggests a near miss', () => {
    expect(mistakesOf('version: 1\nenabeld: false\nrun:\n  timeout_minutes: soon\n  paralel: 2\n')).toEqual(
      expect.arrayContaining([
        { file: FILE, line: 2, key: 'enabeld', message: 'unknown key; did you mean enabled?' },
        { file: FILE, line: 5, key: 'run.paralel', message: 'unknown key; did you mean parallel?' },
        expect.objectContaining({ line: 4, key: 'run.timeout_minutes' }),
      ]),
    );
  });

  it('says of a hook what its own type misses', () => {
    expect(mistakesOf('hooks:\n  plan:\n    pre:\n      - type: run\n        comd: [ls]\n')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          line: 5,
          key: 'hooks.plan.pre[0].comd',
          message: 'unknown key; did you mean cmd?',
        }),
      ]),
    );
  });

  it('reads anchors, and refuses expansions, custom tags and repeated keys', () => {
    expect(parse('dirs:\n  a: &a {tags: [x]}\n  b: *a\n').dirs['b']?.tags).toEqual(['x']);
    const levels = Array.from(
      { length: 9 },
      (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1},`.repeat(9) : '1'}]`,
    );
    expect(mistakesOf(levels.join('\n'))).toHaveLength(1);
    expect(mistakesOf('enabled: !!js/function "x"\n')).toHaveLength(1);
    expect(mistakesOf('enabled: true\nenabled: false\n')).toHaveLength(1);
    expect(mistakesOf(`#${'x'.repeat(300_000)}`)).toHaveLength(1);
    expect(mistakesOf('- a list\n')).toHaveLength(1);
  });

  it.each([
    ['flow lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['flow maps', '{a: '.repeat(60_000)],
    ['block lists', '- '.repeat(120_000)],
    ['keys of keys', '? '.repeat(60_000)],
    ['indented maps', Array.from({ length: 600 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
  ])('refuses nested %s that would exhaust the stack', (_, text) => {
    expect(mistakesOf(text)).toEqual([
      { file: FILE, line: 1, key: 'file', message: 'must not nest more than 100 levels' },
    ]);
  });

  it.each([
    ['workflows[0].tag_query', 'workflows: [{tag_query: "((("}]'],
    ['drift.schedules.a.tag_query', 'drift: {schedules: {a: {schedule: daily, tag_query: "a )"}}}'],
    ['apply_requirements.checks[0].tag_query', 'apply_requirements: {checks: [{tag_query: "a or"}]}'],
  ])('refuses %s that is no tag query', (name, text) => {
    expect(mistakesOf(text)).toEqual([expect.objectContaining({ line: 1, key: name })]);
  });

  it('refuses thousands of globs, and takes thousands of directories', () => {
    const dirs = (pattern: string, count: number) =>
      `dirs: {${Array.from({ length: count }, (_, n) => `${pattern}${n}: {}`).join(', ')}}`;
    expect(mistakesOf(dirs('a*', 1001))).toEqual([
      { file: FILE, line: 1, key: 'dirs', message: 'must not have more than 1000 globs' },
    ]);
    expect(mistakesOf(dirs('a*', 1000))).toEqual([]);
    expect(mistakesOf(dirs('a/', 3000))).toEqual([]);
  });

  it('names twenty of many mistakes, and the first key of many that stands there twice', () => {
    const keys = Array.from({ length: 12_000 }, (_, n) => `key${n}: 1`);
    expect(mistakesOf(keys.join('\n'))).toHaveLength(20);
    expect(mistakesOf([...keys, 'key77: 1'].join('\n'))).toEqual([
      { file: FILE, line: 12_001, key: 'file', message: 'Map keys must be unique' },
    ]);
    expect(mistakesOf('dirs: {a: {tags: [x], tags: [y]}}\n')).toHaveLength(1);
  });

  it.each(['../x', 'a/../b', '/etc', 'a\\b', 'a//b', 'a\nb', ''])('refuses the directory %j', (dir) => {
    expect(isRepositoryPath(dir)).toBe(false);
  });

  it.each(['.', 'a', 'a b/c', '-rf', '$(id)', 'a/**'])('takes the directory %j', (dir) => {
    expect(isRepositoryPath(dir)).toBe(true);
  });

  it('publishes a JSON Schema that knows every top-level key', () => {
    const schema = configJsonSchema() as { $schema: string; properties: Record<string, unknown> };
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(Object.keys(schema.properties).toSorted()).toEqual(
      Object.keys({ ...DEFAULT_CONFIG, destination_branches: 1 }).toSorted(),
    );
  });

  it.each([
    ['hooks:\n  plan:\n    pre:\n      - type: drift_create_issue\n', 'hooks.plan.pre[0].type'],
    ['hooks:\n  all:\n    post:\n      - type: drift_create_issue\n', 'hooks.all.post[0].type'],
    ['hooks:\n  apply:\n    post:\n      - type: drift_create_issue\n', 'hooks.apply.post[0].type'],
    [
      "workflows:\n  - tag_query: ''\n    plan:\n      - type: drift_create_issue\n",
      'workflows[0].plan[0].type',
    ],
  ])('takes issues about drift after plans only: %j', (text, key) => {
    const message = 'must be in hooks.plan.post: issues about drift are made after a plan';
    expect(mistakesOf(text)).toEqual([expect.objectContaining({ line: 4, key, message })]);
  });

  it('takes issues about drift after plans', () => {
    expect(parse('hooks: {plan: {post: [{type: drift_create_issue}]}}').hooks.plan.post).toHaveLength(1);
  });

  it('puts hooks for all operations outside of those of one operation', () => {
    const hook = (name: string) => `{type: run, cmd: [${name}]}`;
    const { hooks } = parse(
      `hooks: {all: {pre: [${hook('a')}], post: [${hook('b')}]}, plan: {pre: [${hook('c')}], post: [${hook('d')}]}}`,
    );
    const { pre, post } = hooksFor(hooks, 'plan');
    expect([...pre, ...post].map((found) => 'cmd' in found && found.cmd[0])).toEqual(['a', 'c', 'd', 'b']);
  });
});

describe('the rule of trust', () => {
  it('takes rights, machines and states from the base, the rest from the head', () => {
    const group = '7b0b2f34-57b4-4b61-9b8a-3f3a5d0f2a11';
    const base = parse(`dirs: {a: {state: {group_id: ${group}}}}`);
    const head = parse(
      `enabled: false\naccess_control: {apply: ['*']}\napply_requirements: {status_checks: {enabled: false}}
run: {on: pool, pool: mine}\nautomerge: {enabled: true}\ndrift: {enabled: true}\nconfig_builder: {enabled: true, cmd: [x]}
engine: {name: tofu}\ndirs: {a: {state: {group_id: 00000000-0000-4000-8000-000000000000}}}`,
    );
    const { config, trustedStateGroups } = effectiveConfig(base, head);
    expect(config).toEqual({ ...DEFAULT_CONFIG, engine: { name: 'tofu' }, dirs: head.dirs });
    expect([...trustedStateGroups]).toEqual([group]);
  });

  const sides = {
    version: 'head',
    enabled: 'base',
    destination_branches: 'base',
    checkout: 'head',
    engine: 'head',
    when_modified: 'head',
    dirs: 'head',
    workflows: 'head',
    hooks: 'head',
    access_control: 'base',
    apply_requirements: 'base',
    drift: 'base',
    run: 'base',
    indexer: 'head',
    config_builder: 'base',
    automerge: 'base',
    cost_estimation: 'head',
    security: 'head',
  } satisfies Record<keyof RepoConfig, 'base' | 'head'>;

  it.each(Object.entries(sides))('takes %s from the %s', (key, side) => {
    const [base, head] = [{}, {}];
    const { config } = effectiveConfig(
      { ...DEFAULT_CONFIG, [key]: base },
      { ...DEFAULT_CONFIG, [key]: head },
    );
    expect(config[key as keyof RepoConfig]).toBe(side === 'base' ? base : head);
    const given = {
      base: new Set(side === 'base' ? [key] : []),
      head: new Set(side === 'head' ? [key] : []),
    };
    const flat = explainConfig({ ...DEFAULT_CONFIG, [key]: 'x' }, given);
    expect(flat.find(({ path }) => path.join('.') === key)?.origin).toBe(side);
  });

  it('has a side for every key of the format', () => {
    expect(Object.keys(sides).toSorted()).toEqual(Object.keys(repoConfigSchema.shape).toSorted());
  });

  it('knows the keys that a file gives from those that it leaves to the defaults', () => {
    const { given } = parseGivenConfig(
      'enabled: true\nrun: {pool: p}\ndirs: {a: {tags: [x]}}\nhooks: {plan: {pre: []}}\ndrift: {schedules: {n: {schedule: daily}}}\nengine: {}\n',
      FILE,
    );
    expect([...given].toSorted()).toEqual([
      'dirs',
      'drift.schedules',
      'enabled',
      'hooks.plan.pre',
      'run.pool',
    ]);
    expect([...parseGivenConfig('', FILE).given]).toEqual([]);
  });
});

describe('globs', () => {
  it.each([
    ['*.tf', 'main.tf', true],
    ['*.tf', 'a/main.tf', false],
    ['**/*.tf', 'main.tf', true],
    ['**/*.tf', 'a/b/main.tf', true],
    ['a/**', 'a/b/c', true],
    ['a/**', 'b/c', false],
    ['a/**/z', 'a/z', true],
    ['a?c', 'abc', true],
    ['a.c', 'abc', false],
    ['$(id)', '$(id)', true],
  ])('%s over %s is %s', (pattern, path, expected) => {
    expect(globMatcher(pattern)(path)).toBe(expected);
  });

  it('agrees with a regular expression on random patterns', () => {
    const part = fc.constantFrom('a', 'b', '*', '?', 'ab', 'a*');
    const glob = fc
      .array(
        fc.oneof(
          fc.constant('**'),
          fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
        ),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      .filter((segments) => segments.every((segment) => segment === '**' || !segment.includes('**')));
    const path = fc.array(fc.constantFrom('a', 'b', 'ab', 'aab', 'ba'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(glob, path, (segments, names) => {
        // A leading slash on both sides makes `**` an optional group of whole segments.
        const source = segments
          .map((segment) =>
            segment === '**' ? '(/[^/]+)*' : `/${segment.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')}`,
          )
          .join('');
        expect(globMatcher(segments.join('/'))(names.join('/'))).toBe(
          new RegExp(`^${source}$`).test(`/${names.join('/')}`),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

describe('directories of a change', () => {
  const directoriesOf = (
    config: string,
    paths: string[],
    changed: { path: string; previousPath?: string }[],
  ) =>
    changedDirspaces(dirspacesOf(rootDirectories(paths), parse(config)), new ChangedFiles(changed)).map(
      ({ dir, workspace }) => `${dir}:${workspace}`,
    );

  it('finds directories with Terraform files and plans those whose files changed', () => {
    const paths = ['main.tf', 'a/x.tf', 'b/y.tofu', 'docs/readme.md', 'a/.terraform/modules/m/z.tf'];
    expect(rootDirectories(paths)).toEqual(['.', 'a', 'b']);
    expect(rootDirectories(['../x/main.tf', 'a/../../y/main.tf', '..a/main.tf'])).toEqual(['..a']);
    expect(directoriesOf('', paths, [{ path: 'a/x.tf' }, { path: 'docs/readme.md' }])).toEqual(['a:default']);
    expect(directoriesOf('', paths, [{ path: 'main.tf' }])).toEqual(['.:default']);
  });

  it('compares globs of each directory only so often, and counts as changed what it could not compare', () => {
    const files = Array.from({ length: 10 }, (_, n) => ({ path: `modules/${n}.tf` }));
    const changes = new ChangedFiles(files, new MatchingBudget(70));
    const touches = (pattern: string) => changes.touches('live/a', [`\${DIR}/${pattern}`]);
    expect([touches('../../other/*.tf'), touches('../../modules/*.tf'), touches('../x*')]).toEqual([
      false,
      true,
      false,
    ]);
    expect([touches('../x*'), touches('../y*')]).toEqual([true, true]);
    // What names one file costs nothing, and neither does what lies in the directory itself.
    expect([touches('../../modules/1.tf'), touches('../../modules/11.tf'), touches('*.tf')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('refuses workspaces and globs that would take too long, whoever wrote them', () => {
    const dirs = Array.from({ length: 100 }, (_, n) => `${'a'.repeat(200)}${n}`);
    const workspaces = Array.from({ length: 300 }, (_, n) => `w${n}: {}`).join(', ');
    expect(() => dirspacesOf(dirs, parse(`dirs: {"**": {workspaces: {${workspaces}}}}`))).toThrow(
      'must not give more than 20000 workspaces in all',
    );
    const globs = Array.from({ length: 1000 }, (_, n) => `"*${'a'.repeat(100)}b${n}": {}`).join(', ');
    expect(() => dirspacesOf(dirs, parse(`dirs: {${globs}}`))).toThrow('matching the globs takes too long');
  });

  it('counts both names of a rename', () => {
    expect(directoriesOf('', ['a/x.tf', 'b/y.tf'], [{ path: 'b/y.tf', previousPath: 'a/y.tf' }])).toEqual([
      'a:default',
      'b:default',
    ]);
  });

  it('lets an exact key go before globs, and globs in the order of the file', () => {
    const config = `dirs:
  "envs/*": {workspaces: {one: {}, two: {}}}
  "**": {enabled: false}
  envs/b: {when_modified: {file_patterns: ["\${DIR}/../../modules/**"]}}`;
    const paths = ['envs/a/x.tf', 'envs/b/x.tf', 'other/x.tf'];
    expect(directoriesOf(config, paths, [{ path: 'envs/a/x.tf' }, { path: 'other/x.tf' }])).toEqual([
      'envs/a:one',
      'envs/a:two',
    ]);
    expect(directoriesOf(config, paths, [{ path: 'modules/m/main.tf' }])).toEqual(['envs/b:default']);
  });

  it('gives a directory what the first matching workflow says', () => {
    const [found] = dirspacesOf(
      ['a'],
      parse(
        'dirs: {a: {tags: [prod]}}\nworkflows: [{tag_query: prod, environment: live, engine: {name: tofu}}]',
      ),
    );
    expect(found).toMatchObject({ environment: 'live', engine: { name: 'tofu' }, mode: 'full' });
  });
});

describe('what a directory says over the top level', () => {
  const first = (config: string) => dirspacesOf(['a'], parse(config))[0];

  it.each([
    [
      'a switch',
      'when_modified: {autoplan: false, file_patterns: [x/**]}\ndirs: {a: {when_modified: {autoapply: true}}}',
      { autoplan: false, autoplanDraft: true, autoapply: true, filePatterns: ['x/**'] },
    ],
    [
      'patterns',
      'when_modified: {autoapply: true, autoplan_draft: false}\ndirs: {a: {when_modified: {file_patterns: [y]}}}',
      { autoplan: true, autoplanDraft: false, autoapply: true, filePatterns: ['y'] },
    ],
    [
      'nothing',
      'when_modified: {autoapply: true, autoplan: false}\ndirs: {a: {when_modified: {}}}',
      { autoplan: false, autoapply: true },
    ],
  ])('keeps the other keys of `when_modified` for %s', (_, config, expected) => {
    expect(first(config)).toMatchObject(expected);
  });

  it.each([
    ['a version', 'engine: {name: tofu}\ndirs: {a: {engine: {version: 1.9.0}}}', { version: '1.9.0' }],
    [
      'a version of the workflow',
      'engine: {name: tofu}\nworkflows: [{tag_query: "dir:a", engine: {version: 1.8.0}}]\ndirs: {a: {engine: {}}}',
      { version: '1.8.0' },
    ],
    [
      'a path',
      'workflows: [{tag_query: "dir:a", engine: {name: tofu, version: 1.8.0}}]\ndirs: {a: {engine: {command: /opt/tofu}}}',
      { command: '/opt/tofu' },
    ],
    [
      'a version below a path',
      'engine: {name: tofu, command: /opt/tofu-1.5}\ndirs: {a: {engine: {name: tofu, version: 1.9.0}}}',
      { version: '1.9.0' },
    ],
    [
      'the same program by its name',
      'engine: {name: tofu, command: /opt/tofu-1.5}\ndirs: {a: {engine: {name: tofu}}}',
      { command: '/opt/tofu-1.5' },
    ],
  ])('keeps the program for %s', (_, config, expected) => {
    expect(first(config)?.engine).toEqual({ name: 'tofu', ...expected });
  });

  it('takes no version of another program', () => {
    expect(first('engine: {version: 1.11.4}\ndirs: {a: {engine: {name: tofu}}}')?.engine).toEqual({
      name: 'tofu',
    });
    expect(first('engine: {version: 1.11.4}\ndirs: {a: {engine: {name: terraform}}}')?.engine).toEqual({
      name: 'terraform',
      version: '1.11.4',
    });
  });
});

describe('layers', () => {
  const config = `dirs:
  network: {tags: [base]}
  cluster: {depends_on: [network]}
  app: {depends_on: ["dir:cluster"]}
  free: {}`;
  const all = dirspacesOf(['app', 'cluster', 'free', 'network'], parse(config));
  const key = (dir: string) => dirspaceKey({ dir, workspace: 'default' });

  it('lets a directory wait for what it depends on, through directories that did not change', () => {
    const edges = dependenciesOf(all);
    const changed = all.filter(({ dir }) => dir !== 'cluster');
    const ready = (done: string[]) =>
      readyDirspaces(changed, edges, (k) => done.map(key).includes(k)).map(({ dir }) => dir);
    expect(ready([])).toEqual(['free', 'network']);
    expect(ready(['network'])).toEqual(['app', 'free', 'network']);
  });

  it('shares what thousands depend on, and gives up a configuration that depends on too much', () => {
    const names = (kind: string) => Array.from({ length: 1500 }, (_, n) => `${kind}/${n}`);
    const dirs = [...names('base'), ...names('app')];
    const layered = dirspacesOf(dirs, parse('dirs: {base/*: {tags: [base]}, app/*: {depends_on: [base]}}'));
    const edges = dependenciesOf(layered);
    expect(new Set(edges.values()).size).toBe(2);
    expect(edges.get(key('app/7'))?.size).toBe(1500);
    const ready = (isDone: (k: string) => boolean) => readyDirspaces(layered, edges, isDone).length;
    expect([
      ready(() => false),
      ready((k) => k.includes('base/')),
      ready((k) => k !== key('base/9')),
    ]).toEqual([1500, 3000, 1500]);
    const all = dirspacesOf(dirs, parse('dirs: {"**": {tags: [x], depends_on: [x]}}'));
    expect(() => dependenciesOf(all)).toThrow('must not name more than 1000000 dependencies in all');
    expect(() => dependenciesOf(all.slice(0, 100))).toThrow(DependencyCycle);
  });

  it('orders a chain of thousands, and finds its end in a circle', () => {
    const chain = Array.from({ length: 3000 }, (_, n) => ({
      dir: `d${n}`,
      dependsOn: n === 0 ? [] : [`d${n - 1}`],
    }));
    const dirspaces = chain.map((each): Dirspace => Object.assign({}, all[0], each));
    const edges = dependenciesOf(dirspaces);
    expect(readyDirspaces(dirspaces, edges, (each) => each === key('d0')).map(({ dir }) => dir)).toEqual([
      'd0',
      'd1',
    ]);
    const circle = dirspaces.map((each) => (each.dir === 'd0' ? { ...each, dependsOn: ['d2999'] } : each));
    expect(() => dependenciesOf(circle)).toThrow(DependencyCycle);
  });

  it('names what is neither a directory nor a tag query', () => {
    const odd = dirspacesOf(['a', '(b'], parse('dirs: {a: {depends_on: ["(b"]}}'));
    expect(dependenciesOf(odd).get(key('a'))).toEqual(new Set([key('(b')]));
    const wrong = dirspacesOf(['a'], parse('dirs: {a: {depends_on: ["(b"]}}'));
    expect(() => dependenciesOf(wrong)).toThrow('depends_on: "(b" is neither a directory nor a tag query');
  });

  it('names the directories of a cycle', () => {
    const cyclic = dirspacesOf(
      ['a', 'b', 'c'],
      parse('dirs: {a: {depends_on: [b]}, b: {depends_on: [c]}, c: {depends_on: [a]}}'),
    );
    expect(() => dependenciesOf(cyclic)).toThrow(DependencyCycle);
    expect(() => dependenciesOf(cyclic)).toThrow('a -> b -> c -> a');
  });

  describe('says where a mistake stands that shows with the directories', () => {
    const file = '.infrastate/config.yaml';
    const check = (text: string, directories: string[]) => () => {
      const { dirs } = parseRepoConfig(text, file);
      // A pull request takes `dirs` from the head and other keys from the base.
      const config = { ...parse('enabled: true'), dirs };
      return dependenciesOf(dirspacesOf(directories, config), config.dirs);
    };
    const text = (entry: string) =>
      `version: 1\ndirs:\n  'app/*':\n    tags: [x]\n    depends_on: [network, "${entry}"]\n  network: {tags: [base]}\n`;

    it.each([
      ['what is no query', '(b', '"(b" is neither a directory nor a tag query'],
      ['a directory', 'netwrok', '"netwrok" matches no directory and no tag; did you mean network?'],
      ['a tag', 'bases', '"bases" matches no directory and no tag; did you mean base?'],
    ])('of %s', (_, entry, message) => {
      const key = 'dirs.app/*.depends_on[1]';
      expect(check(text(entry), ['app/a', 'network'])).toThrow(`${file}:5: ${key}: ${message}`);
    });

    it.each(['other', 'dir:netwrok', 'netwrok or x', 'ne*wrok'])(
      'takes %s, which matches nothing',
      (entry) => {
        expect(check(text(entry), ['app/a', 'network'])).not.toThrow();
        const dirspaces = dirspacesOf(['app/a', 'network'], parse(text(entry)));
        expect(unmatchedDependencies(dirspaces)).toEqual(entry.includes(' or ') ? [] : [entry]);
      },
    );

    it('takes a directory that is switched off', () => {
      const config = 'dirs: {a: {depends_on: [network1]}, network1: {enabled: false}, network2: {}}';
      expect(check(config, ['a', 'network1', 'network2'])).not.toThrow();
    });

    it('of a cycle, of workspaces and of globs', () => {
      expect(check('dirs:\n  a:\n    depends_on: [b]\n  b: {depends_on: [a]}\n', ['a', 'b'])).toThrow(
        `${file}:3: dirs.a.depends_on: depends_on has a cycle: a -> b -> a`,
      );
      const dirs = Array.from({ length: 100 }, (_, n) => `${'a'.repeat(200)}${n}`);
      const workspaces = Array.from({ length: 300 }, (_, n) => `w${n}: {}`).join(', ');
      expect(check(`dirs:\n  b: {}\n  "**":\n    workspaces: {${workspaces}}\n`, dirs)).toThrow(
        `${file}:4: dirs.**.workspaces: must not give more`,
      );
      const globs = Array.from({ length: 1000 }, (_, n) => `  "*${'a'.repeat(100)}b${n}": {}`);
      expect(check(`dirs:\n${globs.join('\n')}`, dirs)).toThrow(/^[^:]+:\d{2,}: dirs\.\*a+b\d+: matching/);
    });
  });
});
