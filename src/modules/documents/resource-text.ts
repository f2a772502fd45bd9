import { instanceAddress, keyOf, resourceAddress } from './instance-address.js';
import { JsonScanner, NotJson, textOf } from './json-scanner.js';

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

/** Splits a run of resources (see ResourceParser) into texts. Only client-like member order: `instances` comes last. */
export function splitResources(bytes: Buffer, context: Buffer | undefined): ResourceText[] {
  return new Splitter(bytes, context).split();
}

const INDENT = '\n    ';
const INSTANCE_INDENT = '\n        ';

/** The run again, in the client's layout. */
export function joinResources(resources: readonly ResourceText[], trailingComma: boolean): Buffer {
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
      resources.push(this.rest(header, ''));
    }
    while (this.more()) {
      scanner.peek();
      const start = scanner.pos;
      const header = readHeader(scanner);
      resources.push(this.rest(header, this.bytes.toString('utf8', start, scanner.pos)));
    }
    return resources;
  }

  /** Moves over a comma and tells whether anything follows. */
  private more(): boolean {
    const { scanner } = this;
    if (scanner.peek() === 0x2c) scanner.pos++;
    return scanner.peek() !== -1;
  }

  private rest(header: Map<string, string>, head: string): ResourceText {
    const { scanner } = this;
    const address = resourceAddress(
      header.get('module'),
      header.get('mode') ?? '',
      header.get('type') ?? '',
      header.get('name') ?? '',
    );
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

/** Reads `{ … "instances": [` and returns the string members. */
function readHeader(scanner: JsonScanner): Map<string, string> {
  const header = new Map<string, string>();
  scanner.take(0x7b);
  do {
    const name = scanner.key();
    if (name === 'instances') {
      scanner.take(0x5b);
      return header;
    }
    scanner.peek();
    const start = scanner.length;
    scanner.value();
    if (scanner.out[start] === 0x22) header.set(name, textOf(scanner.out, start, scanner.length));
  } while (scanner.takeIf(0x2c));
  throw new NotJson(scanner.pos);
}
