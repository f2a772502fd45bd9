import { canonicalJson, revisionHash, sha256 } from './canonical-json.js';

describe('canonical JSON', () => {
  it('orders keys by their bytes and leaves no white space', () => {
    expect(
      canonicalJson({ b: [1, { z: null, a: 'x' }], a: true, ä: 1, B: -0.5, '\u{1F600}': 2, '\uFFFD': 3 }),
    ).toBe('{"B":-0.5,"a":true,"b":[1,{"a":"x","z":null}],"ä":1,"\uFFFD":3,"\u{1F600}":2}');
  });

  it('the hash of all nodes does not depend on their order', () => {
    const nodes = [
      { key: 'b', hash: '2' },
      { key: 'a', hash: '1' },
    ];
    expect(revisionHash(nodes)).toBe(sha256('["a","1"]["b","2"]'));
    expect(revisionHash([...nodes].reverse())).toBe(revisionHash(nodes));
  });
});
