import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { BlockCache } from './block-cache.js';
import { readConfiguration } from './configuration.js';
import { readHclFile } from './hcl-file.js';
import { readPieces } from './hcl-pieces.js';
import { HclSyntaxError } from './hcl-syntax-error.js';

/** Pieces that end, and do not end, where a piece of a file is thought to end. */
const PIECES = [
  'resource "t" "a" {\n  x = 1\n}\n',
  'resource "t" "b" {\n  x = file("f")\n  y = { a = 1 }\n}\n',
  '# a comment\ndata "t" "c" {\n  x = t.a.id\n}\n\n',
  'resource "t" "d" {\n  x = {\n}\n}\n',
  'resource "t" "e" {\n  x = <<EOT\n}\nEOT\n}\n',
  'resource "t" "f" {\n  x = <<EOT\nresource "t" "no" {\n}\nEOT\n}\n',
  'locals {\n  l = 1\n  m = "}"\n}\n',
  'terraform {\n  required_version = ">= 1"\n}\n',
  'terraform {\n}\n',
  '/* open\n}\n',
  'a */ resource "t" "g" {\n}\n',
  'variable "v" {}\n',
  'resource "t" "h" {}',
  'resource "t" "i" {\n  x = "${\n{}\n}"\n}\n',
  '}\n',
  'module "m" {\n  source = "./m"\n}\n',
];

const cacheIn = (directory: string): BlockCache => new BlockCache(join(directory, 'cache.json'), 'v');

describe('a file read piece by piece', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'pieces-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function outcome(read: () => ReturnType<typeof readHclFile>): unknown {
    try {
      const { blocks, fileCalls } = read();
      const plain = blocks.map(({ hash: _hash, body, ...rest }) => ({ ...rest, body }));
      return { blocks: plain.sort((a, b) => (a.name < b.name ? -1 : 1)), fileCalls };
    } catch (error) {
      if (error instanceof HclSyntaxError) return error.message;
      throw error;
    }
  }

  it('is what it is when read as a whole, for the first time and again', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const cache = cacheIn(directory);
        const whole = outcome(() => readHclFile(text, 'm.tf'));
        expect(outcome(() => readPieces(text, 'm.tf', cache, 0))).toEqual(whole);
        expect(outcome(() => readPieces(text, 'm.tf', cache, 0))).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same nodes from what was remembered, another program version remembering nothing', () => {
    const blocks = Array.from(
      { length: 1000 },
      (_, index) => `resource "t" "n${index}" {\n  x = "${index}"\n}\n`,
    );
    writeFileSync(join(directory, 'main.tf'), blocks.join('\n'));
    /** With what is logged for each node, which is made when it is asked for. */
    const read = (cache?: BlockCache): string => {
      const { nodes, ...others } = readConfiguration(directory, cache ? { cache } : {});
      return JSON.stringify({
        ...others,
        nodes: nodes.map(({ key, hash, entry }) => ({ key, hash, entry })),
      });
    };
    const plain = read();
    const first = cacheIn(directory);
    expect(read(first)).toBe(plain);
    first.save();
    expect(read(cacheIn(directory))).toBe(plain);
    const key = BlockCache.keyOf(blocks[0] ?? '');
    expect(cacheIn(directory).get(key)).toMatchObject({ labels: ['t', 'n0'] });
    expect(new BlockCache(join(directory, 'cache.json'), 'w').get(key)).toBeUndefined();
  });
});
