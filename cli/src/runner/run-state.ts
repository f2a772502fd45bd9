import { ID_TOKEN } from './hooks/id-tokens.rules.js';
import { sensitiveLinesOf } from './masking/secret-forms.rules.js';
import type { Masker } from './masking.rules.js';
import type { GateReport, Work } from './protocol.js';
import type { Reports } from './reports.js';

/** What all parts of one run share. `environment` is what hooks, steps and terraform get, and what `env` hooks change. */
export interface RunState {
  work: Work;
  /** address of the service, and the run's token */
  apiBase: string;
  token: string;
  /** the checkout */
  root: string;
  /** beside the checkout: data directories, plan files */
  scratch: string;
  environment: Record<string, string>;
  masker: Masker;
  reports: Reports;
  gates: GateReport[];
  /**
   * variables that an `env` hook of the whole run has set: git and the engine get them whatever their name is. Each
   * directory adds its own ones to a copy.
   */
  handedOn: Set<string>;
  /** aborted when the run is over */
  signal: AbortSignal;
  /** how long a program may take to end after SIGINT */
  killAfterMs: number;
}

/** Ours: no hook and no terraform needs them. */
const WITHHELD =
  /^(INFRASTATE_(WORK_TOKEN|POOL_TOKEN|API_KEY|DRIFT_ACCESS_TOKEN)|TF_DATA_DIR|TF_WORKSPACE|TF_CLI_ARGS.*|GIT_CONFIG_.*)$/;

/**
 * The identity, the tokens and the services of the CI job. A job has most of them without asking, so hooks get them, and
 * terraform gets them from an `env` hook only.
 */
const OF_THE_JOB =
  /^(INFRASTATE_ID_TOKEN(_\w+)?|ACTIONS_.*|CI_(JOB_TOKEN|BUILD_TOKEN|JOB_JWT.*|REGISTRY_PASSWORD|DEPLOY_PASSWORD|DEPENDENCY_PROXY_PASSWORD|REPOSITORY_URL|RUNNER_SHORT_TOKEN))$/;

/** Tokens of ours and of the CI job. Any program of the run can print them; a shorter value would hide half of any text. */
const TOKENS = [
  'INFRASTATE_WORK_TOKEN',
  'INFRASTATE_POOL_TOKEN',
  'INFRASTATE_API_KEY',
  'INFRASTATE_DRIFT_ACCESS_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'ACTIONS_RUNTIME_TOKEN',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'CI_JOB_TOKEN',
  'CI_BUILD_TOKEN',
  'CI_JOB_JWT',
  'CI_JOB_JWT_V1',
  'CI_JOB_JWT_V2',
  'CI_DEPLOY_PASSWORD',
  'CI_DEPENDENCY_PROXY_PASSWORD',
  'CI_REGISTRY_PASSWORD',
];
const MIN_TOKEN_LENGTH = 8;

/** Values that nothing of a run may show, whatever its hooks do. */
export function tokensOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const names = [...TOKENS, ...Object.keys(env).filter((name) => ID_TOKEN.test(name))];
  return names.flatMap((name) => env[name] ?? []).filter(({ length }) => length >= MIN_TOKEN_LENGTH);
}

/** What git and the engine get. The identity of the CI job is for `oidc` and for scripts that exchange it. */
export function toolEnvironment(
  environment: Readonly<Record<string, string>>,
  handedOn: ReadonlySet<string> = new Set(),
): Record<string, string> {
  const kept = Object.entries(environment).filter(([name]) => handedOn.has(name) || !OF_THE_JOB.test(name));
  return Object.fromEntries(kept);
}

export function baseEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { root, work }: { root: string; work: Work },
): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !WITHHELD.test(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    INFRASTATE_ROOT: root,
    INFRASTATE_RUN_TYPE: work.run_type,
    INFRASTATE_RUN_KIND: work.kind,
    INFRASTATE_WORK_MANIFEST_ID: work.id,
  };
}

/** `${NAME}` is the value of the environment variable; an unknown one is empty. */
export function expanded(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => environment[name] ?? '');
}

/** Hides a value from now on; on the first provider's CI its job log hides it, too. */
export function hide(masker: Masker, value: string, env: Readonly<Record<string, string | undefined>>): void {
  masker.add(value);
  if (env['GITHUB_ACTIONS'] !== 'true') return;
  for (const line of sensitiveLinesOf(value))
    process.stdout.write(`::add-mask::${line.replaceAll('%', '%25').replaceAll('\r', '%0D')}\n`);
}
