// Modules import lower tiers through their index; the platform knows no module. tools/tiers.mjs is the one list.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const source = readFileSync(join(__dirname, 'tools', 'tiers.mjs'), 'utf8');
const tiers = [...source.matchAll(/^ {2}\[(.*)\],$/gm)].map(([, names]) => names.split(',').map((name) => name.trim().replaceAll("'", '')));

const upward = tiers.flatMap((names, tier) =>
  names.map((name) => ({
    name: `${name}-imports-lower-tiers-only`,
    severity: 'error',
    from: { path: `^src/modules/${name}/` },
    to: {
      path: `^src/modules/(${tiers.slice(tier).flat().filter((other) => other !== name).join('|') || '-'})/`,
    },
  })),
);

/** Folders of a module, in an order in which each imports only later ones. */
const ROOMS = {
  states: ['backend', 'history', 'editing', 'writing', 'merging', 'publishing', 'chunks'],
  graph: ['reach', 'instances', 'summaries', 'projection', 'topology'],
  mql: ['execution', 'paging', 'analysis', 'tables'],
  transactions: ['steps', 'revisions', 'conflicts', 'log'],
  vcs: ['webhooks', 'repositories', 'installations', 'accounts', 'hosts'],
  security: ['scanning', 'impact', 'waivers', 'findings', 'reachability', 'checks', 'engine'],
};
const backward = Object.entries(ROOMS).flatMap(([module, rooms]) =>
  rooms.slice(1).map((room, index) => ({
    name: `${module}-${room}-imports-later-rooms-only`,
    severity: 'error',
    from: { path: `^src/modules/${module}/${room}/` },
    to: { path: `^src/modules/${module}/(${rooms.slice(0, index + 1).join('|')})/` },
  })),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'platform-knows-no-module', severity: 'error', from: { path: '^src/platform/' }, to: { path: '^src/(modules|app)/' } },
    { name: 'modules-know-no-app', severity: 'error', from: { path: '^src/modules/' }, to: { path: '^src/app/' } },
    {
      name: 'other-modules-through-index',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/(?!$1/)[^/]+/(?!index\\.ts$)' },
    },
    {
      name: 'nobody-imports-its-own-index',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/', pathNot: 'index\\.ts$' },
      to: { path: '^src/modules/$1/index\\.ts$' },
    },
    { name: 'sdk-stands-alone', severity: 'error', from: { path: '^sdk/src/' }, to: { path: '^(src|cli|test|tools)/' } },
    { name: 'cli-knows-only-the-sdk', severity: 'error', from: { path: '^cli/src/' }, to: { path: '^(src|test|tools)/' } },
    { name: 'sdk-through-its-index', severity: 'error', from: { path: '^cli/src/' }, to: { path: '^sdk/', pathNot: '^sdk/(dist|esm)/index\\.(js|d\\.ts)$' } },
    { name: 'service-knows-no-client', severity: 'error', from: { path: '^src/' }, to: { path: '^(sdk|cli)/' } },
    ...upward,
    ...backward,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$|^sdk/src/generated/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
};
