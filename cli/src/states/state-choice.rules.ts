import { Failure } from '../failure.js';

interface Named {
  id: string;
  name: string;
  workspace: string;
  group_id: string;
}

/** What people name besides the name. */
export interface StateChoice {
  workspace?: string | undefined;
  group?: string | undefined;
}

/** The one state of that name, in the workspace and the group if they are named. */
export function chooseState<State extends Named>(
  states: readonly State[],
  name: string,
  { workspace, group }: StateChoice,
): State {
  const named = states.filter(
    (state) =>
      state.name === name &&
      (workspace === undefined || state.workspace === workspace) &&
      (group === undefined || state.group_id === group.toLowerCase()),
  );
  const [only, ...others] = named;
  if (only && others.length === 0) return only;
  if (only)
    throw new Failure(
      'STATE_AMBIGUOUS',
      `several states are named "${name}": ${named.map(placeOf).join('; ')}`,
      `choose one with ${distinguishingFlags(named)}, or give its id instead of the name`,
    );
  const places = [
    ...(workspace === undefined ? [] : [`workspace "${workspace}"`]),
    ...(group === undefined ? [] : [`group ${group}`]),
  ];
  const where = places.length === 0 ? '' : ` in ${places.join(', ')}`;
  throw new Failure(
    'STATE_UNKNOWN',
    `no state is named "${name}"${where}`,
    'infrastate states list shows them',
  );
}

function placeOf({ id, workspace, group_id: group }: Named): string {
  return `${id} (workspace ${workspace}, group ${group})`;
}

/** No two states of a tenant have the same group and workspace. */
function distinguishingFlags(states: readonly Named[]): string {
  const isUnique = (values: readonly string[]) => new Set(values).size === values.length;
  if (isUnique(states.map(({ workspace }) => workspace))) return '--workspace <name>';
  if (isUnique(states.map(({ group_id: group }) => group))) return '--group <id>';
  return '--group <id> and --workspace <name>';
}
