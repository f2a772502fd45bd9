import { storableText } from '../../platform/database/storable-text.js';
import { JsonScanner, NotJson, textOf } from './json-scanner.js';

const COMMA = 0x2c;

/** What a resource of a document says of itself beside its instances. */
export interface ResourceHeader {
  mode?: string;
  type?: string;
  name?: string;
  module?: string;
  provider?: string;
}

const NAMES: Readonly<Record<keyof ResourceHeader, true>> = {
  mode: true,
  type: true,
  name: true,
  module: true,
  provider: true,
};

export function isHeaderName(name: string): name is keyof ResourceHeader {
  return Object.hasOwn(NAMES, name);
}

/** Nothing of its instances can be told before; most have no module. */
export function isComplete(header: ResourceHeader): boolean {
  return (
    header.mode !== undefined &&
    header.type !== undefined &&
    header.name !== undefined &&
    header.provider !== undefined
  );
}

/** Reads the value of a member, and keeps it when it is one of the header's. */
export function readHeaderMember(scanner: JsonScanner, header: ResourceHeader, name: string): void {
  scanner.peek();
  const start = scanner.length;
  scanner.value();
  if (!isHeaderName(name)) return;
  const text = scanner.out.toString('utf8', start, scanner.length);
  if (text.startsWith('"')) header[name] = storableText(textOf(scanner.out, start, scanner.length));
}

/** The members of a cut resource up to and including `"instances": [`. */
export function parseHeader(context: Buffer): ResourceHeader {
  const scanner = new JsonScanner(context);
  const header: ResourceHeader = {};
  scanner.take(0x7b);
  do {
    const name = scanner.key();
    if (name === 'instances') return header;
    readHeaderMember(scanner, header, name);
  } while (scanner.takeIf(COMMA));
  throw new NotJson(scanner.pos);
}
