import type { Command } from 'commander';
import type { VariableOption } from '../configuration/variable-values.js';

/** Options that `plan` and `apply` share. */
export interface PlanOptions {
  state?: string;
  create?: boolean;
  full?: boolean;
  skipRefresh?: boolean;
  refresh?: string;
  parallelism?: string;
  variables?: VariableOption[];
}

/** Adds them; Terraform's own are spelled as Terraform spells them, with one dash or two. */
export function withPlanOptions(command: Command): Command {
  const variables: VariableOption[] = [];
  const add = (option: VariableOption): VariableOption[] => {
    variables.push(option);
    return variables;
  };
  return command
    .option(
      '--state <name or id>',
      'state to plan against (INFRASTATE_STATE; default: the state of the http backend)',
    )
    .option('--create', 'create the state if it does not exist')
    .option('--full', 'plan everything, not only what changed')
    .option('--skip-refresh', 'use the state without asking providers for changes')
    .option('--refresh <true|false>', 'whether to ask providers for changes first, as in Terraform')
    .option('--parallelism <n>', 'maximum number of concurrent operations, as in Terraform')
    .option('--var <name=value>', 'value of a variable, repeatable', (text: string) =>
      add({ kind: 'var', text }),
    )
    .option('--var-file <path>', 'file with values, repeatable', (path: string) =>
      add({ kind: 'file', path }),
    )
    .hook('preAction', (_program, action) => void action.setOptionValue('variables', variables));
}

/** `-out=x` and `-refresh=false` with the two dashes that the parser of command lines knows. */
export function withTwoDashes(args: readonly string[]): string[] {
  const command = args.find((arg) => !arg.startsWith('-'));
  if (command !== 'plan' && command !== 'apply') return [...args];
  return args.map((arg) => (/^-[a-z][a-z-]+(?:=|$)/.test(arg) ? `-${arg}` : arg));
}
