import { statesGet, type StateView, tenantStatesList } from '@infrastate/sdk';
import type { Context } from '../context/context.js';
import { Failure } from '../failure.js';
import { answer } from '../service/api-client.js';
import { collect, rowsOf } from '../service/pages.js';
import { isUuid } from '../service/uuid.js';
import { chooseState } from './state-choice.rules.js';

const PAGE = 1000;

/** Every state of the tenant. */
export async function* statesOf(context: Context): AsyncGenerator<StateView> {
  const tenantId = await context.tenantId();
  yield* rowsOf((page) =>
    answer(
      tenantStatesList({
        client: context.api(),
        path: { tenantId },
        query: { limit: PAGE, ...(page === undefined ? {} : { page }) },
      }),
    ),
  );
}

/** The state of that id, else the one of that name; `--workspace` and `--group` decide between states of one name. */
export async function findState(context: Context, nameOrId: string): Promise<StateView> {
  if (isUuid(nameOrId))
    return answer(statesGet({ client: context.api(), path: { stateId: nameOrId.toLowerCase() } }));
  if (nameOrId === '') throw new Failure('STATE_UNKNOWN', 'the name of a state is missing');
  return chooseState(await collect(statesOf(context)), nameOrId, context.settings);
}
