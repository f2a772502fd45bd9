import type { GapInventoryStore } from '../inventory/gap-inventory.store.js';
import { ImportRequests } from './import-requests.service.js';

it('looks up no ids that the database cannot hold', async () => {
  const asked: string[] = [];
  const inventory = {
    attributesOf: (_: unknown, ids: readonly string[]) => {
      asked.push(...ids);
      return Promise.resolve(new Map());
    },
  } as unknown as GapInventoryStore;
  const [known, odd] = ['//unknown.googleapis.com/projects/p/things/a', '//x.googleapis.com/a\u0000'];
  const texts = await new ImportRequests(inventory).write('tenant', {
    provider: 'gcp',
    resources: [{ arn: known }, { arn: odd }],
  });
  expect(asked).toEqual([known]);
  expect(texts).toMatchObject({ supported_count: 0, unsupported_count: 2 });
});
