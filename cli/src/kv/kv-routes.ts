import {
  githubKvCas,
  githubKvCommit,
  githubKvGet,
  githubKvPut,
  githubKvRemove,
  gitlabKvCas,
  gitlabKvCommit,
  gitlabKvGet,
  gitlabKvPut,
  gitlabKvRemove,
  type KeyValueNamespace,
} from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { UsageFailure } from '../failure.js';

export interface NamespaceOptions {
  vcs?: string;
  installation?: string;
}

const PROVIDERS: Readonly<Record<string, KeyValueNamespace['vcs']>> = {
  github: 'github',
  vcs_a: 'github',
  gitlab: 'gitlab',
  vcs_b: 'gitlab',
};

/** The namespace that a command works in, from its options or the environment. */
export function namespaceOf(context: Context, options: NamespaceOptions): KeyValueNamespace {
  const { env } = context.streams;
  const name = options.vcs ?? env['INFRASTATE_VCS'] ?? 'github';
  const vcs = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (vcs === undefined) throw new UsageFailure('--vcs must be github or gitlab');
  const installationId = options.installation ?? env['INFRASTATE_INSTALLATION'];
  if (!installationId) throw new UsageFailure('--installation is missing; set it or INFRASTATE_INSTALLATION');
  return { client: context.api(), vcs, installationId };
}

const GITHUB = {
  get: githubKvGet,
  put: githubKvPut,
  cas: githubKvCas,
  remove: githubKvRemove,
  commit: githubKvCommit,
};
const GITLAB = {
  get: gitlabKvGet,
  put: gitlabKvPut,
  cas: gitlabKvCas,
  remove: gitlabKvRemove,
  commit: gitlabKvCommit,
};

export function routesOf({ vcs }: KeyValueNamespace): typeof GITHUB | typeof GITLAB {
  return vcs === 'github' ? GITHUB : GITLAB;
}
