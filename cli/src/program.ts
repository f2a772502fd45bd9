import { Command, CommanderError } from 'commander';
import type { Run } from './commands/command.js';
import { withTwoDashes } from './commands/plan-options.js';
import { COMMANDS } from './commands.registry.js';
import { openContext } from './context/context.js';
import type { GlobalFlags } from './context/settings.rules.js';
import { exitCodeOf, failureOf, UsageFailure } from './failure.js';
import { Output } from './output/output.js';
import type { Streams } from './streams.js';

/** Runs one command line; answers the exit code. */
export async function runProgram(args: readonly string[], streams: Streams): Promise<number> {
  let exitCode = 0;
  let output = new Output(streams, args.includes('--json'));
  const run: Run =
    (action) =>
    async (...parameters) => {
      const command = parameters.at(-1) as Command;
      const context = openContext(command.optsWithGlobals<GlobalFlags>(), streams);
      ({ output } = context);
      exitCode = (await action(context, command.args, command.opts<never>())) ?? 0;
    };
  try {
    const program = await buildProgram(run, streams, args);
    await program.parseAsync(withTwoDashes(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const failure = error instanceof CommanderError ? usageFailure(error) : failureOf(error);
    await output.failure(failure);
    return exitCodeOf(failure);
  }
}

/** With the one command that is asked for, or with all where none is. */
async function buildProgram(run: Run, { stdout }: Streams, args: readonly string[]): Promise<Command> {
  const program = new Command('infrastate')
    .description('Client of the Infrastructure State Service')
    .exitOverride()
    // Usage errors are reported like every other failure.
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => undefined })
    .option('--api-base <url>', 'address of the service (INFRASTATE_API_BASE)')
    .option('--tenant <name or id>', 'tenant to work in (INFRASTATE_TENANT_ID)')
    .option('--workspace <name>', 'workspace of states (INFRASTATE_WORKSPACE)')
    .option('--group <id>', 'group of states, which tells states of one name apart')
    .option(
      '--tag <key=value>',
      'tag of the transactions that this command creates, repeatable (INFRASTATE_TX_TAGS)',
      append,
    )
    .option('--json', 'print one JSON document on stdout')
    .addHelpText('after', '\nThe key is read from INFRASTATE_API_KEY or from what infrastate login stored.');
  const asked = args.find((arg) => Object.hasOwn(COMMANDS, arg));
  const isHelp = args.some((arg) => arg === 'help' || arg === '--help' || arg === '-h');
  for (const [name, load] of Object.entries(COMMANDS))
    if (asked === undefined || isHelp || name === asked) (await load())(program, run);
  return program;
}

/** What stands behind a `=` may be a secret and is not repeated. */
function usageFailure(error: CommanderError): UsageFailure {
  const message = error.message.replace(/^error: /, '').replace(/=[^']*'/, "=…'");
  return new UsageFailure(error.code === 'commander.help' ? 'a command is missing' : message);
}

function append(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
