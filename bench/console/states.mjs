// The states that the console shows in its measurements.
import { bytesOf, estate } from '../estate.mjs';
import { post } from '../service.mjs';

const LIST = 100_000;
const COMPARED = 1_700;
const CHANGED = 1_000;

export async function statesForConsole(service) {
  const { group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'console',
  });
  const list = (await post(service, group, 'list', bytesOf(narrow(LIST)))).answer.state_id;
  const graph = (await post(service, group, 'graph', bytesOf(estate({ instances: 4_000 })))).answer.state_id;
  const before = bytesOf(estate({ instances: COMPARED, seed: 3 }));
  const after = bytesOf(changedEvery(estate({ instances: COMPARED, seed: 3, serial: 2 })));
  const compared = (await post(service, group, 'compared', before)).answer.state_id;
  await post(service, group, 'compared', after);
  return {
    list: { id: list, total: LIST },
    graph,
    compared: { id: compared, megabytes: (before.length / 1e6).toFixed(1), changed: CHANGED },
  };
}

/** Instances with few attributes: the list shows none of them. */
function narrow(count) {
  const instances = Array.from({ length: count }, (_, index) => ({
    index_key: index,
    schema_version: 0,
    attributes: { id: `item-${index}`, triggers: { revision: `${index % 97}` } },
    sensitive_attributes: [],
  }));
  const provider = 'provider["registry.terraform.io/hashicorp/null"]';
  const resources = [{ mode: 'managed', type: 'null_resource', name: 'item', provider, instances }];
  return {
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: 'bench-list',
    outputs: {},
    resources,
    check_results: null,
  };
}

/** The first instances with another description. */
function changedEvery(state) {
  let left = CHANGED;
  for (const { instances } of state.resources)
    for (const instance of instances)
      if (left-- > 0) instance.attributes.description = `changed: ${instance.attributes.id}`;
  return state;
}
