import * as fc from 'fast-check';
import {
  instanceAddress,
  joinResources,
  keyOf,
  ResourceText,
  splitResources,
} from '../../documents/index.js';
import { applyEdits, EditableRun, InstanceEdit, MergeImpossible } from './document-merge.js';

type Model = Map<string, Map<number, string>>;
const NAMES = ['a', 'b', 'c', 'd', 'e'];

function instanceText(index: number, value: string): string {
  return `{\n          "index_key": ${index},\n          "attributes": {"n": 9007199254740993, "v": "${value}"}\n        }`;
}

function resourceText(name: string, instances: Map<number, string>): ResourceText {
  return {
    address: `t.${name}`,
    header: '',
    head: `{\n      "mode": "managed",\n      "type": "t",\n      "name": "${name}",\n      "provider": "p",\n      "instances": [`,
    instances: [...instances].map(([index, value]) => ({
      key: keyOf(instanceAddress(`t.${name}`, index)),
      text: instanceText(index, value),
    })),
    tail: ']\n    }',
  };
}

function bytesOf(model: Model): Buffer {
  return joinResources(
    [...model].map(([name, instances]) => resourceText(name, instances)),
    { trailingComma: false },
  );
}

/** The resources in two runs, as a large document has them. */
function runsOf(model: Model, cut: number): EditableRun[] {
  const all = [...model];
  const parts = [all.slice(0, cut), all.slice(cut)].filter((part) => part.length > 0);
  return parts.map((part) => ({
    resources: splitResources(bytesOf(new Map(part)), undefined),
    touched: false,
  }));
}

function modelOf(runs: readonly EditableRun[]): Record<string, string> {
  return Object.fromEntries(
    runs.flatMap((run) =>
      run.resources.flatMap((resource) => resource.instances.map(({ key, text }) => [key, text])),
    ),
  );
}

const models = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom(...NAMES),
      fc.uniqueArray(fc.tuple(fc.nat({ max: 3 }), fc.constantFrom('x', 'y')), {
        minLength: 1,
        maxLength: 4,
        selector: ([index]) => index,
      }),
    ),
    {
      minLength: 1,
      selector: ([name]) => name,
    },
  )
  .map(
    (list): Model =>
      new Map(
        list.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, instances]) => [name, new Map(instances)]),
      ),
  );

const changes = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...NAMES),
    index: fc.nat({ max: 3 }),
    value: fc.option(fc.constantFrom('new', 'other')),
  }),
  {
    maxLength: 6,
    selector: ({ name, index }) => `${name}${index}`,
  },
);

function editsOf(list: readonly { name: string; index: number; value: string | null }[]): InstanceEdit[] {
  return list.map(({ name, index, value }) => ({
    key: keyOf(instanceAddress(`t.${name}`, index)),
    resourceAddress: `t.${name}`,
    text: value === null ? undefined : instanceText(index, value),
    resource: value === null ? undefined : resourceText(name, new Map([[index, value]])),
  }));
}

describe('Merging changes into a document', () => {
  it('holds exactly the old instances with the changes put in', () => {
    fc.assert(
      fc.property(models, fc.nat({ max: 5 }), changes, (model, cut, list) => {
        const runs = runsOf(model, cut);
        const expected = modelOf(runs);
        const edits = editsOf(list);
        applyEdits(runs, edits);
        for (const { key, text } of edits) {
          if (text === undefined) Reflect.deleteProperty(expected, key);
          else expected[key] = text;
        }
        expect(modelOf(runs)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves no empty resource, divides none and keeps each instance in its own', () => {
    fc.assert(
      fc.property(models, fc.nat({ max: 5 }), changes, (model, cut, list) => {
        const runs = runsOf(model, cut);
        applyEdits(runs, editsOf(list));
        const resources = runs
          .filter((run) => run.touched)
          .flatMap((run) =>
            splitResources(joinResources(run.resources, { trailingComma: false }), undefined),
          );
        expect(resources.filter((resource) => resource.instances.length === 0)).toEqual([]);
        const addresses = runs.flatMap((run) => run.resources.map((resource) => resource.address));
        expect(new Set(addresses).size).toBe(addresses.length);
        for (const { address, instances } of resources) {
          for (const { key } of instances)
            expect([0, 1, 2, 3].map((index) => keyOf(instanceAddress(address, index)))).toContain(key);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('does not touch a run in which nothing changes, to the last byte', () => {
    fc.assert(
      fc.property(models, fc.nat({ max: 5 }), changes, (model, cut, list) => {
        const runs = runsOf(model, cut);
        const before = runs.map((run) => joinResources(run.resources, { trailingComma: false }).toString());
        applyEdits(runs, editsOf(list));
        runs.forEach((run, index) => {
          if (!run.touched)
            expect(joinResources(run.resources, { trailingComma: false }).toString()).toBe(before[index]);
        });
      }),
    );
  });

  it('takes the header of the writer with the instance it changed', () => {
    const runs: EditableRun[] = [{ resources: [resourceText('a', new Map([[0, 'x']]))], touched: false }];
    const moved = {
      ...resourceText('a', new Map([[0, 'y']])),
      header: 'provider p2',
      head: '{ "provider": "p2", "instances": [',
    };
    applyEdits(runs, [
      { key: keyOf('t.a[0]'), resourceAddress: 't.a', text: instanceText(0, 'y'), resource: moved },
    ]);
    expect(runs[0]?.resources).toEqual([moved]);
  });

  it('refuses what it cannot place: a resource that begins or ends elsewhere', () => {
    const open = { ...resourceText('a', new Map([[0, 'x']])), tail: '' };
    const removal: InstanceEdit = {
      key: keyOf('t.a[0]'),
      resourceAddress: 't.a',
      text: undefined,
      resource: undefined,
    };
    expect(() => applyEdits([{ resources: [open], touched: false }], [removal])).toThrow(MergeImpossible);
    const [addition] = editsOf([{ name: 'z', index: 0, value: 'new' }]);
    expect(() => applyEdits([{ resources: [open], touched: false }], addition ? [addition] : [])).toThrow(
      MergeImpossible,
    );
  });
});
