// Modules import lower tiers through their index; the platform knows no module. tools/tiers.mjs is the one list.
const { ROOMS, TIERS } = require('./tools/tiers.mjs');

const upward = TIERS.flatMap((names, tier) =>
  names.map((name) => ({
    name: `${name}-imports-lower-tiers-only`,
    severity: 'error',
    from: { path: `^src/modules/${name}/` },
    to: {
      path: `^src/modules/(${TIERS.slice(tier).flat().filter((other) => other !== name).join('|') || '-'})/`,
    },
  })),
);

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
    {
      name: 'module-is-in-a-tier',
      comment: 'name every module in tools/tiers.mjs',
      severity: 'error',
      from: { path: `^src/modules/(?!(?:${TIERS.flat().join('|')})/)` },
      to: {},
    },
    {
      name: 'controllers-stay-thin',
      comment: 'a controller calls a service; the service reads and writes the database',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: 'node_modules/(typeorm|@nestjs/typeorm|pg)/|^src/platform/database/|\\.entity\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rules-stay-pure',
      comment: 'rules and machines are functions of their arguments',
      severity: 'error',
      from: { path: '\\.(rules|machine)\\.ts$' },
      to: {
        path: 'node_modules/(@nestjs|typeorm|pg|bullmq|ioredis|express)/|^src/platform/(database|queue|events)/',
        // Text functions without a connection.
        pathNot: '^src/platform/database/storable-text\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
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
