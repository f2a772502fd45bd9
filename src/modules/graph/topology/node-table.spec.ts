import * as fc from 'fast-check';
import { metaOf, someInstances } from '../../../../test/support/graph-oracle.js';
import type { InstanceMeta } from '../../documents/index.js';
import { InstanceCatalog } from './instance-catalog.js';
import { OrderedInstances } from './instance-order.rules.js';
import { encodeNodes, type InstanceIdentity, NodeTable } from './node-table.js';

function catalogOf(instances: readonly InstanceMeta[]): InstanceCatalog {
  const catalog = new InstanceCatalog();
  for (const instance of instances) catalog.add(instance);
  return catalog;
}

function stored(catalog: InstanceCatalog): NodeTable {
  return new NodeTable(encodeNodes(new OrderedInstances(catalog)));
}

function identityOf(meta: InstanceMeta): InstanceIdentity {
  const { module = null, mode, type, name, provider, indexKey = null, deposed = null } = meta;
  return { module, mode, type, name, provider, index_key: indexKey, deposed };
}

function contentsOf(table: NodeTable): string[] {
  const { values, rows } = table.catalog();
  return rows.module
    .map((_, row) =>
      JSON.stringify([
        values.modules[rows.module[row] ?? 0],
        values.kinds[rows.kind[row] ?? 0],
        values.indexes[rows.index[row] ?? 0] ?? null,
        values.lists[rows.list[row] ?? 0],
        rows.deposed[row],
      ]),
    )
    .sort();
}

describe('the stored nodes', () => {
  it('find every instance under its own address', () => {
    fc.assert(
      fc.property(someInstances, (instances) => {
        const table = stored(catalogOf(instances));
        const found = instances.map((meta) => table.find(identityOf(meta)));
        expect(found.map((node) => node !== undefined && table.addressOf(node))).toEqual(
          instances.map((meta) => meta.address),
        );
        expect(new Set(found).size).toBe(instances.length);
        expect(table.size).toBe(instances.length);
      }),
    );
  });

  it('do not find what is not there', () => {
    const table = stored(catalogOf([metaOf({ name: 'a', indexKey: 1 })]));
    const others = [
      metaOf({ name: 'a' }),
      metaOf({ name: 'a', indexKey: '1' }),
      metaOf({ name: 'b', indexKey: 1 }),
      metaOf({ name: 'a', indexKey: 1, deposed: 'x' }),
    ];
    expect(others.map((meta) => table.find(identityOf(meta)))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are the same whether written at once or change by change', () => {
    fc.assert(
      fc.property(someInstances, someInstances, (before, after) => {
        const changed = stored(catalogOf(before)).catalog();
        changed.remove(before);
        for (const meta of after) changed.add(meta);
        expect(contentsOf(stored(changed))).toEqual(contentsOf(stored(catalogOf(after))));
      }),
    );
  });

  it('keep keys of any text and number', () => {
    const keys = [0, 7, 1e21, 1.5, '', ' ', 'é', '\ud83d\ude00', 'a\0b', '\n', '0'];
    const instances = keys.map((indexKey) => metaOf({ name: 'odd', indexKey }));
    const table = stored(catalogOf(instances));
    const found = instances.map((meta) => table.indexOf(table.find(identityOf(meta)) ?? -1));
    expect(found).toEqual(keys);
  });

  it('take some bytes an instance when there are many', () => {
    const instances = Array.from({ length: 20_000 }, (_, i) =>
      metaOf({
        module: `module.env["e${i % 200}"]`,
        name: `r${i % 40}`,
        indexKey: i,
        dependencies: ['test_thing.base'],
      }),
    );
    expect(encodeNodes(new OrderedInstances(catalogOf(instances))).length).toBeLessThan(5 * instances.length);
  });
});
