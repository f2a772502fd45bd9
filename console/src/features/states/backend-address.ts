import { client } from '../../platform/client';
import type { BackendReadData, StateView } from '../../platform/client';

/** Address of the state backend for this state, as the client of the API builds it. */
export function backendAddress(state: Pick<StateView, 'group_id' | 'workspace'>): string {
  const url: BackendReadData['url'] = '/api/v1/states/backend/{groupId}/{workspace}';
  return client.buildUrl({ url, path: { groupId: state.group_id, workspace: state.workspace } });
}
