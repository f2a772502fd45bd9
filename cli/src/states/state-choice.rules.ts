import { Failure } from '../failure.js';

interface Named {
  id: string;
  name: string;
  workspace: string;
}

/** The one state of that name, in the workspace if one is named. */
export function chooseState<State extends Named>(
  states: readonly State[],
  name: string,
  workspace: string | undefined,
): State {
  const named = states.filter(
    (state) => state.name === name && (workspace === undefined || state.workspace === workspace),
  );
  const [only, ...others] = named;
  if (only && others.length === 0) return only;
  if (only)
    throw new Failure(
      'STATE_AMBIGUOUS',
      `several states are named "${name}": ${named.map((state) => `${state.id} (${state.workspace})`).join(', ')}`,
      'give an id, or --workspace',
    );
  const where = workspace === undefined ? '' : ` in workspace "${workspace}"`;
  throw new Failure(
    'STATE_UNKNOWN',
    `no state is named "${name}"${where}`,
    'infrastate states list shows them',
  );
}
