import { DEFAULT_CONFIG, dirspacesOf, effectiveConfig, parseGivenConfig } from '../../repo-config/index.js';
import { configurationText } from './configuration-text.rules.js';

describe('the reply to repo-config', () => {
  const replyTo = (baseText: string, headText: string) => {
    const base = parseGivenConfig(baseText, 'config.yml');
    const head = parseGivenConfig(headText, 'config.yml');
    const { config } = effectiveConfig(base.config, head.config);
    const place = { repository: { defaultBranch: 'main' } };
    const all = dirspacesOf(['a', 'b'], config);
    return configurationText({
      config,
      all,
      given: { base: base.given, head: head.given },
      place,
      refusal: undefined,
    });
  };

  it('says of each key from which branch it comes', () => {
    const reply = replyTo(
      'access_control: {apply: ["team:ops"]}\nrun: {on: pool, pool: big}\nengine: {name: tofu}\n',
      'access_control: {plan: ["*"]}\nwhen_modified: {autoplan: false}\ndirs: {a: {tags: [x]}}\n',
    );
    for (const lines of [
      'version: 1  # default\n',
      'destination_branches: ["main"]  # default\n',
      'engine:\n  name: "terraform"  # default\n',
      'access_control:\n  plan: ["role:write"]  # default\n  apply: ["team:ops"]  # base\n',
      'run:\n  on: "pool"  # base\n  pool: "big"  # base\n  workflow: "infrastate.yml"  # default\n',
      '  autoplan: false  # head\n  autoplan_draft: true  # default\n',
      'apply_requirements:\n  approved:\n    enabled: false  # default\n',
      '# default\n  merge_conflicts:\n    enabled: true  # default\n',
    ])
      expect(reply).toContain(lines);
    expect(reply).toMatch(/\ndirs: \{"a":.*\} {2}# head\n/);
    expect(reply.match(/^access_control:/gm)).toHaveLength(1);
  });

  it('names what nothing waits for', () => {
    expect(replyTo('', 'dirs: {a: {depends_on: [b, gone]}}')).toMatch(
      /match no directory, so that nothing waits for them:\n\n```\ngone\n```$/,
    );
    expect(replyTo('', 'dirs: {a: {depends_on: [b]}}')).not.toContain('nothing waits');
  });

  it('calls everything a default where no branch has a file', () => {
    const given = { base: new Set<string>(), head: new Set<string>() };
    const place = { repository: { defaultBranch: null } };
    const reply = configurationText({ config: DEFAULT_CONFIG, all: [], given, place, refusal: undefined });
    expect(reply).not.toMatch(/# (base|head)/);
  });
});
