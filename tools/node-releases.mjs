// The Node.js releases the service runs on. start.mjs, the tests on other releases and the checks read them here.
// This file and start.mjs must be readable for the old releases that they refuse.

/** Oldest version of each supported release line; every later line is supported. `engines` says the same. */
export const OLDEST = [
  [20, 19],
  [22, 13],
  [24, 11],
];

/** What `.ci/run` runs RELEASE_SUITES on, beside the release that runs everything: the oldest and the newest even one. */
export const TESTED_RELEASES = ['20.19.0', '26'];

/** Backend, graph, transactions, SQL and client: paths of the suites that run on every tested release. */
export const RELEASE_SUITES = [
  'test/e2e/(backend|terraform-backend|graph|mql)[.]spec',
  'test/e2e/transaction(s|-steps|-reads|-reports)[.]spec',
  'test/e2e/cli-(states|query|plan-apply)[.]spec',
  'test/medium/(graph-projection|queue|migrations)[.]spec',
];

/** @param {string} version as in `process.versions.node` */
export function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  const line = OLDEST.find(([oldest]) => oldest === major);
  return line ? minor >= line[1] : major > OLDEST[OLDEST.length - 1][0];
}

/** One line for whoever starts the service with a release it does not run on. */
export function unsupported(version) {
  const lines = OLDEST.map(([major, minor]) => `${major}.${minor}`).join(', ');
  return `Node.js ${version} is not supported; install ${lines} or a newer version of these, or a later release`;
}
