import fc from 'fast-check';
import { keyOf, withoutKeys } from '../../documents/index.js';
import { ChunkSignature, Fingerprints } from './chunk-signature.rules.js';

const node = fc
  .record({
    module: fc.option(fc.constantFrom('module.a', 'module.a["x"]', 'module.b[0].module.c'), {
      nil: undefined,
    }),
    name: fc.constantFrom('one', 'two', 'three'),
    index: fc.nat(5),
  })
  .map(({ module, name, index }) => {
    const resourceAddress = `${module === undefined ? '' : `${module}.`}aws_instance.${name}`;
    return { module, resourceAddress, key: keyOf(`${resourceAddress}[${index}]`) };
  });

describe('The signature of a chunk', () => {
  it('never leaves out what the chunk lists', () => {
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 30 }), fc.nat(), (nodes, pick) => {
        const signature = new ChunkSignature(nodes);
        const one = nodes[pick % nodes.length];
        if (!one) return;
        const { key, resourceAddress } = one;
        expect(signature.mayHold(new Fingerprints({ keys: new Set([key]) }))).toBe(true);
        expect(signature.mayHold(new Fingerprints({ resources: new Set([resourceAddress]) }))).toBe(true);
        expect(
          signature.mayHold(new Fingerprints({ configs: new Set([withoutKeys(resourceAddress)]) })),
        ).toBe(true);
      }),
    );
  });

  it('leaves out what the chunk does not list', () => {
    const signature = new ChunkSignature([{ module: undefined, resourceAddress: 'a.b', key: keyOf('a.b') }]);
    const others = Array.from({ length: 1000 }, (_, n) => `a.other${n}`);
    expect(signature.mayHold(new Fingerprints({ keys: new Set(others.map((each) => keyOf(each))) }))).toBe(
      false,
    );
    expect(signature.mayHold(new Fingerprints({ resources: new Set(others) }))).toBe(false);
    expect(signature.mayHold(new Fingerprints({ configs: new Set(others) }))).toBe(false);
    expect(signature.mayHold(new Fingerprints({}))).toBe(false);
  });
});
