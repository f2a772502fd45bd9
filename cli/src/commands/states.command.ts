import { statesDelete, type StateView, tenantStatesCreate } from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { Failure } from '../failure.js';
import { table } from '../output/table.rules.js';
import { answer } from '../service/api-client.js';
import { collect } from '../service/pages.js';
import { exportToFile, exportToStdout } from '../states/state-export.js';
import { importState } from '../states/state-import.js';
import { findState, statesOf } from '../states/state-lookup.js';
import { Prompt } from '../terminal/prompt.js';
import type { RegisterCommand } from './command.js';
import { registerSubmissions } from './submissions.command.js';

interface NewStateOptions {
  sameName?: boolean;
}

export const registerStates: RegisterCommand = (program, run) => {
  const states = program.command('states').description('list, create, import, export and delete states');
  states.command('list').description('list every state').action(run(list));
  states
    .command('create')
    .argument('<name>')
    .description('create an empty state, in the group of --group or in a new one')
    .option('--same-name', 'create the state even if another one has this name and workspace')
    .action(run<NewStateOptions>(create));
  states
    .command('import')
    .argument('<name>')
    .argument('<file>', 'a state document; - reads stdin')
    .description('create a state from a document, in the group of --group or in a new one')
    .action(run(importFile));
  states
    .command('export')
    .argument('<state>')
    .argument('[file]', 'file to write, readable only by you (default: stdout)')
    .description('print the document of a state, byte for byte')
    .action(run(exportDocument));
  states
    .command('delete')
    .argument('<state>')
    .description('delete a state and all of its data')
    .option('--yes', 'do not ask for confirmation')
    .action(run<{ yes?: boolean }>(remove));
  registerSubmissions(states, run);
};

async function list(context: Context): Promise<void> {
  const results = await collect(statesOf(context));
  await context.output.result({ results }, () =>
    table(
      ['NAME', 'WORKSPACE', 'SERIAL', 'UPDATED', 'ID'],
      results.map((state) => [state.name, state.workspace, String(state.serial), state.updated_at, state.id]),
      context.output.width,
    ),
  );
}

async function create(
  context: Context,
  [name = '']: readonly string[],
  { sameName = false }: NewStateOptions,
): Promise<void> {
  const { group } = context.settings;
  const tenantId = await context.tenantId();
  if (!sameName && group === undefined) await refuseSameName(context, name);
  const state = await answer(
    tenantStatesCreate({
      client: context.api(),
      path: { tenantId },
      body: { name, ...placeOf(context) },
    }),
  );
  await context.output.result(state, () => `created ${describe(state)}`);
}

/** Two states of one name and workspace can only be told apart by their groups and ids. */
async function refuseSameName(context: Context, name: string): Promise<void> {
  const { workspace = 'default' } = context.settings;
  for await (const state of statesOf(context))
    if (state.name === name && state.workspace === workspace)
      throw new Failure(
        'STATE_EXISTS',
        `there is ${describe(state)} already`,
        '--same-name creates another one',
      );
}

async function importFile(context: Context, [name = '', file = '']: readonly string[]): Promise<void> {
  const { tags } = context.settings;
  const state = await importState(
    context,
    { name, ...placeOf(context), ...(Object.keys(tags).length > 0 ? { tags } : {}) },
    file,
  );
  await context.output.result(state, () => `imported ${describe(state)}`);
}

async function exportDocument(context: Context, [name = '', file]: readonly string[]): Promise<void> {
  const { id } = await findState(context, name);
  if (file === undefined || file === '-') return void (await exportToStdout(context, { stateId: id }));
  const bytes = await exportToFile(context, { stateId: id }, file);
  await context.output.result({ state_id: id, file, bytes }, () => `${bytes} bytes in ${file}`);
}

async function remove(
  context: Context,
  [name = '']: readonly string[],
  { yes = false }: { yes?: boolean },
): Promise<void> {
  const state = await findState(context, name);
  if (!yes) await confirmed(context, state);
  const deleted = await answer(statesDelete({ client: context.api(), path: { stateId: state.id } }));
  await context.output.result(deleted, () => `deleted ${describe(state)}`);
}

async function confirmed(context: Context, state: StateView): Promise<void> {
  if (!context.streams.stdin.isTTY)
    throw new Failure('NOT_CONFIRMED', 'no terminal to ask for confirmation', '--yes deletes without asking');
  const prompt = new Prompt(context.streams);
  try {
    context.output.printNote(`this deletes ${describe(state)}, with every version. It cannot be undone.`);
    if ((await prompt.ask('Name of the state, to delete it: ')) !== state.name)
      throw new Failure('NOT_CONFIRMED', 'the name does not match; nothing was deleted');
  } finally {
    prompt.close();
  }
}

function placeOf(context: Context): { group_id?: string; workspace?: string } {
  const { workspace, group } = context.settings;
  return {
    ...(group === undefined ? {} : { group_id: group }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}

function describe({ name, workspace, id, group_id }: StateView): string {
  return `state "${name}", workspace "${workspace}", id ${id}, group ${group_id}`;
}
