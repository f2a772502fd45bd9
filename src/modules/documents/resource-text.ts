import { instanceAddress, keyOf, resourceAddress } from './instance-address.js';
import { NotAState } from './document-frame.js';
import { pretty } from './frame-text.js';
import { JsonScanner, NotJson, textOf } from './json-scanner.js';
import { isArray, isObject, member, parseRaw, type RawJson } from './raw-json.js';

/** A resource as it stands in a document, in pieces that can be put together again. */
export interface ResourceText {
  /** address without instance key */
  address: string;
  /** header values that every instance shares, for telling whether the header itself changed */
  header: string;
  /** `{ … "instances": [`; empty when the run begins inside of the resource */
  head: string;
  instances: { key: string; text: string }[];
  /** `] … }`; empty when the run ends inside of the resource */
  tail: string;
}

/**
 * Splits a run of resources (see ResourceParser) into texts. A resource that does not say what it is before its
 * `instances` comes in the client's layout.
 */
export function splitResources(bytes: Buffer, context: Buffer | undefined): ResourceText[] {
  return new Splitter(bytes, context).split();
}

const HEADER = new Set(['mode', 'type', 'name', 'module', 'provider']);
const INDENT = '\n    ';
const HEADER_LINE = '\n      ';
const INSTANCE_INDENT = '\n        ';

/** The run again, in the client's layout. */
export function joinResources(
  resources: readonly ResourceText[],
  { trailingComma }: { trailingComma: boolean },
): Buffer {
  const texts = resources.map((resource) => {
    const head = resource.head ? INDENT + resource.head : '';
    const instances = resource.instances.map((instance) => INSTANCE_INDENT + instance.text).join(',');
    const open = resource.tail === '';
    return (
      head + instances + (open ? ',' : (resource.instances.length > 0 ? '\n      ' : '') + resource.tail)
    );
  });
  const endsOpen = resources.at(-1)?.tail === '';
  return Buffer.from(texts.join(',') + (trailingComma && !endsOpen ? ',' : ''));
}

class Splitter {
  private readonly scanner: JsonScanner;

  constructor(
    private readonly bytes: Buffer,
    private readonly context: Buffer | undefined,
  ) {
    this.scanner = new JsonScanner(bytes);
  }

  split(): ResourceText[] {
    const { scanner } = this;
    const resources: ResourceText[] = [];
    if (this.context) {
      const header = readHeader(new JsonScanner(this.context));
      if (!header) throw new NotJson(0);
      resources.push(this.rest(header, ''));
    }
    while (this.more()) {
      scanner.peek();
      const [start, mark] = [scanner.pos, scanner.length];
      resources.push(this.asItStands(start) ?? this.laidOut(start, mark));
    }
    return resources;
  }

  /** Undefined when the resource says what it is, or a part of that, only after its instances. */
  private asItStands(start: number): ResourceText | undefined {
    const { scanner } = this;
    const header = readHeader(scanner);
    if (!header || !['mode', 'type', 'name'].every((name) => header.has(name))) return undefined;
    const resource = this.rest(header, this.bytes.toString('utf8', start, scanner.pos));
    return saysWhatItIs(resource.tail) ? undefined : resource;
  }

  private laidOut(start: number, mark: number): ResourceText {
    const { scanner } = this;
    scanner.pos = start;
    scanner.length = mark;
    scanner.value();
    const resource = inClientLayout(parseRaw(scanner.out.toString('utf8', mark, scanner.length)));
    scanner.length = mark;
    return resource;
  }

  /** Moves over a comma and tells whether anything follows. */
  private more(): boolean {
    const { scanner } = this;
    if (scanner.peek() === 0x2c) scanner.pos++;
    return scanner.peek() !== -1;
  }

  private rest(header: Map<string, string>, head: string): ResourceText {
    const { scanner } = this;
    const address = addressOf(header);
    const resource: ResourceText = {
      address,
      header: [...header].sort().join('\0'),
      head,
      instances: [],
      tail: '',
    };
    while (scanner.peek() !== 0x5d) {
      const start = scanner.pos;
      const key = this.instance(address);
      resource.instances.push({ key, text: this.bytes.toString('utf8', start, scanner.pos) });
      if (scanner.peek() === 0x2c) scanner.pos++;
      if (scanner.peek() === -1) return resource;
    }
    const start = scanner.pos;
    scanner.pos++;
    while (scanner.peek() === 0x2c) {
      scanner.pos++;
      scanner.key();
      scanner.value();
    }
    if (scanner.peek() !== 0x7d) throw new NotJson(scanner.pos);
    scanner.pos++;
    resource.tail = this.bytes.toString('utf8', start, scanner.pos);
    return resource;
  }

  /** Reads one instance object and returns its key. */
  private instance(address: string): string {
    const { scanner } = this;
    const mark = scanner.length;
    let indexKey: unknown;
    let deposed: unknown;
    scanner.take(0x7b);
    if (!scanner.takeIf(0x7d)) {
      do {
        const name = scanner.key();
        const start = scanner.length;
        scanner.value();
        if (name === 'index_key') indexKey = JSON.parse(scanner.out.toString('utf8', start, scanner.length));
        else if (name === 'deposed')
          deposed = JSON.parse(scanner.out.toString('utf8', start, scanner.length));
      } while (scanner.takeIf(0x2c));
      scanner.take(0x7d);
    }
    scanner.length = mark;
    const index = typeof indexKey === 'string' || typeof indexKey === 'number' ? indexKey : undefined;
    return keyOf(instanceAddress(address, index), typeof deposed === 'string' ? deposed : undefined);
  }
}

/** Reads `{ … "instances": [` and returns the string members; undefined when there is no such list. */
function readHeader(scanner: JsonScanner): Map<string, string> | undefined {
  const header = new Map<string, string>();
  scanner.take(0x7b);
  if (scanner.takeIf(0x7d)) return undefined;
  do {
    const name = scanner.key();
    if (name === 'instances' && scanner.takeIf(0x5b)) return header;
    scanner.peek();
    const start = scanner.length;
    scanner.value();
    if (scanner.out[start] === 0x22) header.set(name, textOf(scanner.out, start, scanner.length));
  } while (scanner.takeIf(0x2c));
  return undefined;
}

/** Whether `] … }`, what follows the instances of a resource, has members of its header. */
function saysWhatItIs(tail: string): boolean {
  if (tail === '') return false;
  const scanner = new JsonScanner(Buffer.from(tail));
  scanner.take(0x5d);
  let found = false;
  while (scanner.takeIf(0x2c)) {
    if (HEADER.has(scanner.key())) found = true;
    scanner.value();
  }
  return found;
}

/** A resource with `instances` as its last member. */
export function inClientLayout(resource: RawJson): ResourceText {
  if (!isObject(resource)) throw new NotAState('a resource is not an object');
  const members = new Map(resource.entries);
  const named = members.get('instances');
  const list = named === undefined || named === 'null' ? { items: [] } : named;
  if (!isArray(list)) throw new NotAState('the instances of a resource are not a list');
  members.delete('instances');
  const header = new Map([...members].flatMap(([name, raw]) => stringMember(name, raw)));
  const lines = [...members].map(
    ([name, raw]) => `${HEADER_LINE}${JSON.stringify(name)}: ${pretty(raw, '      ')},`,
  );
  const address = addressOf(header);
  return {
    address,
    header: [...header].sort().join('\0'),
    head: `{${lines.join('')}${HEADER_LINE}"instances": [`,
    instances: list.items.map((item) => ({ key: keyIn(address, item), text: pretty(item, '        ') })),
    tail: ']\n    }',
  };
}

function stringMember(name: string, raw: RawJson): [string, string][] {
  return typeof raw === 'string' && raw.startsWith('"') ? [[name, JSON.parse(raw) as string]] : [];
}

function addressOf(header: ReadonlyMap<string, string>): string {
  const [mode = '', type = '', name = ''] = ['mode', 'type', 'name'].map((part) => header.get(part));
  return resourceAddress(header.get('module'), mode, type, name);
}

function keyIn(resource: string, instance: RawJson): string {
  const read = (name: string): unknown => {
    const raw = member(instance, name);
    return typeof raw === 'string' ? JSON.parse(raw) : undefined;
  };
  const [index, deposed] = [read('index_key'), read('deposed')];
  const isKey = typeof index === 'string' || typeof index === 'number';
  return keyOf(
    instanceAddress(resource, isKey ? index : undefined),
    typeof deposed === 'string' ? deposed : undefined,
  );
}
