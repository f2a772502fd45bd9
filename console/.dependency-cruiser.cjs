// The console's tiers: app composes features, features use the platform and the indexes of other features.
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      from: { path: '^console/src/platform/' },
      to: { path: '^console/src/(features|app)/' },
    },
    {
      name: 'features-know-no-app',
      severity: 'error',
      from: { path: '^console/src/features/' },
      to: { path: '^console/src/app/' },
    },
    {
      name: 'other-features-through-index',
      severity: 'error',
      from: { path: '^console/src/features/([^/]+)/' },
      to: { path: '^console/src/features/(?!$1/)[^/]+/(?!index\\.tsx?$)' },
    },
    {
      name: 'app-finds-features-by-their-area',
      severity: 'error',
      from: { path: '^console/src/app/' },
      to: { path: '^console/src/features/' },
    },
    {
      name: 'generated-client-through-its-index',
      severity: 'error',
      from: { path: '^console/src/', pathNot: '^console/src/platform/client/' },
      to: { path: '^console/src/platform/client/.+', pathNot: '^console/src/platform/client/index\\.ts$' },
    },
    {
      name: 'console-knows-no-service',
      severity: 'error',
      from: { path: '^console/src/' },
      to: { path: '^(src|cli|sdk|test|tools)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.tsx?$|^console/src/platform/client/generated/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
};
