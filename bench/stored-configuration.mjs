import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { readConfiguration } = require('../cli/dist/configuration/configuration.js');
const { logBatches } = require('../cli/dist/run/log-batches.rules.js');

/** Puts the configuration beside the state, as a first plan and apply would. */
export async function storeConfiguration(service, stateId, directory) {
  const { nodes } = readConfiguration(directory);
  const { id: tx } = await service.call('POST', `/tenants/${service.tenant}/tx/create`, {
    state_schema_version: 1,
  });
  await service.call('POST', `/states/${stateId}/revision`, {
    tx_id: tx,
    nodes: nodes.map(({ key, hash }) => ({ key, hash })),
  });
  for (const body of logBatches(nodes.map(({ entry }) => ({ ...entry, state_id: stateId }))))
    await service.call('POST', `/tx/${tx}/logs/append`, JSON.parse(body));
  const { task } = await service.call('POST', `/tx/${tx}/apply?replace=delta`);
  for (
    let state = 'pending';
    state !== 'completed';
    { state } = await service.call('GET', `/tasks/${task.id}`)
  ) {
    if (state === 'failed') throw new Error('the configuration could not be stored');
    await new Promise((done) => setTimeout(done, 100));
  }
}
