import { statesGet } from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { Failure, ServiceFailure, UsageFailure } from '../failure.js';
import { answer } from '../service/api-client.js';
import { collect } from '../service/pages.js';
import { isUuid } from '../service/uuid.js';
import { backendAddress, backendBlock } from '../states/backend-block.rules.js';
import { chooseState } from '../states/state-choice.rules.js';
import { statesOf } from '../states/state-lookup.js';
import type { RegisterCommand } from './command.js';

interface Place {
  group_id: string;
  workspace: string;
}

export const registerBackendConfig: RegisterCommand = (program, run) => {
  program
    .command('backend-config')
    .argument('<state or group>', 'name or id of a state, or id of a group')
    .argument('[workspace]', "workspace of the group; default: the state's own")
    .description("print Terraform's backend block for a state")
    .option('--locks', 'include the lock addresses, so that the service knows exactly who writes')
    .action(
      run<{ locks?: boolean }>(async (context, [target = '', workspace], { locks = false }) => {
        if (workspace === '') throw new UsageFailure('the workspace name must not be empty');
        const place = await placeOf(context, target, workspace ?? context.settings.workspace);
        const address = backendAddress(context.address, place.group_id, place.workspace);
        const block = backendBlock(address, { locks });
        const environment = {
          TF_HTTP_USERNAME: 'run-$CI_JOB_ID',
          TF_HTTP_PASSWORD: 'an API key',
        };
        await context.output.result({ address, ...place, block, environment }, () => block);
        if (!context.output.json)
          context.output.printNote(
            'Set TF_HTTP_PASSWORD to an API key, and TF_HTTP_USERNAME=run-$CI_JOB_ID: the name tells runs of one key apart.',
          );
      }),
    );
};

/** A workspace that is named need not exist: the first write creates it. */
async function placeOf(context: Context, target: string, workspace: string | undefined): Promise<Place> {
  if (!isUuid(target)) return placeOfName(context, target, workspace);
  const id = target.toLowerCase();
  const state = await answer(statesGet({ client: context.api(), path: { stateId: id } })).catch(absent);
  if (state) return { group_id: state.group_id, workspace: workspace ?? state.workspace };
  for await (const { group_id } of statesOf(context))
    if (group_id === id) return { group_id, workspace: workspace ?? 'default' };
  throw new Failure('STATE_UNKNOWN', `no state and no group has the id ${id}`);
}

/** States of one name in one group are one place when the workspace is named. */
async function placeOfName(context: Context, name: string, workspace: string | undefined): Promise<Place> {
  const { group } = context.settings;
  const all = await collect(statesOf(context));
  const states = group === undefined ? all : all.filter((state) => state.group_id === group.toLowerCase());
  const [only, ...others] = new Set(
    states.filter((state) => state.name === name).map((state) => state.group_id),
  );
  if (workspace !== undefined && only !== undefined && others.length === 0)
    return { group_id: only, workspace };
  const state = chooseState(states, name, { workspace, group });
  return { group_id: state.group_id, workspace: state.workspace };
}

function absent(error: unknown): undefined {
  if (error instanceof ServiceFailure && error.status === 404) return undefined;
  throw error;
}
