import { hash } from 'node:crypto';
import { storableText } from '../../platform/database/storable-text.js';
import { acceptableJson } from './attribute-masking.js';
import { JsonScanner, MAX_DEPTH, NotJson, textOf } from './json-scanner.js';
import { inMemberOrder, isInOrder } from './member-order.js';
import { MASK } from './masked-paths.js';
import { isRecord } from '../../platform/json/is-record.js';

export type DocumentFormat = 'terraform' | 'legacy' | 'future' | 'encrypted';
/** The version of the format that is decomposed into instances. */
const DECOMPOSED_VERSION = 4;

export interface OutputRow {
  name: string;
  /** JSON text, already masked when sensitive */
  value: string;
  /** JSON text of the type constraint */
  type: string;
  sensitive: boolean;
}

export interface CheckResultRow {
  configAddr: string;
  objectKind: string;
  status: string;
  objects: { object_addr: string; status: string; failure_messages: string[] }[];
}

/** Name to hash of everything around the resources that merges by name. */
export interface FrameIndex {
  outputs: Record<string, string>;
  checks: Record<string, string>;
}

/** What a state document says outside of its `resources`. */
export interface DocumentFrame {
  format: DocumentFormat;
  serial: number;
  lineage: string;
  terraformVersion: string | undefined;
  /** why there is no graph, although the document is well-formed */
  graphError: string | undefined;
  index: FrameIndex;
  outputs: OutputRow[];
  checkResults: CheckResultRow[];
}

/** JSON, but not a state document. */
export class NotAState extends Error {}

/** Reads the bytes around the resources: the document with an empty `resources` list. */
export function parseFrame(bytes: Buffer): DocumentFrame {
  const { members, deepest } = readTopLevel(bytes);
  const version = numberOf(members.get('version'));
  const encrypted = members.has('encrypted_data');
  // A format of the future is kept too: its infrastructure exists already.
  if (!encrypted && (version === undefined || !Number.isSafeInteger(version) || version < 1)) {
    throw new NotAState(
      version === undefined
        ? 'the document has no version'
        : `the version must be a whole number above zero, not ${version}`,
    );
  }
  const serial = given(members.get('serial')) === undefined ? 0 : numberOf(members.get('serial'));
  if (serial === undefined || !Number.isSafeInteger(serial) || serial < 0)
    throw new NotAState('serial is not a whole number');
  const lineage = given(members.get('lineage')) === undefined ? '' : textual(members.get('lineage'));
  if (lineage === undefined) throw new NotAState('lineage is not text');
  const format = formatOf({ isEncrypted: encrypted, version });
  const graphError = reasonForNoGraph(format, version, members, deepest);
  const outputs = graphError === undefined ? readOutputs(members.get('outputs')) : [];
  const checks = graphError === undefined ? readChecks(members.get('check_results')) : [];
  return {
    format,
    serial,
    lineage,
    terraformVersion: textual(members.get('terraform_version')),
    graphError,
    index: {
      outputs: Object.fromEntries(outputs.map((output) => [output.row.name, output.hash])),
      checks: Object.fromEntries(checks.map((check) => [check.row.configAddr, check.hash])),
    },
    outputs: outputs.map((output) => output.row),
    checkResults: checks.map((check) => check.row),
  };
}

function formatOf({
  isEncrypted,
  version = DECOMPOSED_VERSION,
}: {
  isEncrypted: boolean;
  version?: number;
}): DocumentFormat {
  if (isEncrypted) return 'encrypted';
  if (version === DECOMPOSED_VERSION) return 'terraform';
  return version < DECOMPOSED_VERSION ? 'legacy' : 'future';
}

function reasonForNoGraph(
  format: DocumentFormat,
  version: number | undefined,
  members: ReadonlyMap<string, string>,
  deepest: number,
): string | undefined {
  if (format === 'encrypted') return 'the document is encrypted';
  if (format === 'legacy' || format === 'future')
    return `state format version ${version} is stored and served, but only version 4 is decomposed`;
  if (deepest > MAX_DEPTH) return `values are nested more than ${MAX_DEPTH} deep`;
  const resources = members.get('resources') ?? 'null';
  return resources === '[]' || resources === 'null' ? undefined : 'resources is not a list';
}

/** Members of the top-level object as minified JSON text; a repeated name is refused, as the graph would lie. */
export function topLevelMembers(bytes: Buffer): Map<string, string> {
  return readTopLevel(bytes).members;
}

function readTopLevel(bytes: Buffer): { members: Map<string, string>; deepest: number } {
  const scanner = new JsonScanner(bytes);
  const members = new Map<string, string>();
  if (scanner.peek() !== 0x7b) {
    scanner.value();
    throw new NotAState('the document is not an object');
  }
  scanner.take(0x7b);
  if (!scanner.takeIf(0x7d)) {
    do {
      const name = scanner.key();
      const start = scanner.length;
      scanner.value();
      if (members.has(name))
        throw new NotAState(`the document names ${JSON.stringify(name.slice(0, 40))} twice`);
      members.set(name, scanner.out.toString('utf8', start, scanner.length));
    } while (scanner.takeIf(0x2c));
    scanner.take(0x7d);
  }
  if (scanner.peek() !== -1) throw new NotJson(scanner.pos);
  return { members, deepest: scanner.deepest };
}

/** Members of an object given as minified JSON text, each as JSON text. */
export function membersOf(text: string | undefined): Map<string, string> {
  return scannedMembers(text).members;
}

/** `unordered`: the members of an object inside of one stand in an order of their own. */
function scannedMembers(text: string | undefined): { members: Map<string, string>; unordered: boolean } {
  const members = new Map<string, string>();
  if (!text?.startsWith('{')) return { members, unordered: false };
  const scanner = new JsonScanner(Buffer.from(text));
  scanner.take(0x7b);
  if (scanner.takeIf(0x7d)) return { members, unordered: false };
  do {
    const start = scanner.length;
    scanner.value();
    const name = textOf(scanner.out, start, scanner.length);
    scanner.take(0x3a);
    const valueStart = scanner.length;
    scanner.value();
    members.set(name, scanner.out.toString('utf8', valueStart, scanner.length));
  } while (scanner.takeIf(0x2c));
  return { members, unordered: scanner.unordered };
}

/** In the order in which Terraform writes them. */
const OUTPUT_MEMBERS = ['value', 'type', 'sensitive'];

function readOutputs(text: string | undefined): { row: OutputRow; hash: string }[] {
  return [...membersOf(text)].map(([written, body]) => {
    const name = storableText(written);
    const { members, unordered } = scannedMembers(body);
    const sensitive = members.get('sensitive') === 'true';
    const value = members.get('value') ?? 'null';
    const row = {
      name,
      value: sensitive ? MASK : acceptableJson(value),
      type: acceptableJson(members.get('type') ?? 'null'),
      sensitive,
    };
    const isOrdered = !unordered && isInOrder(members.keys(), OUTPUT_MEMBERS);
    return { row, hash: hashOf(isOrdered ? body : inMemberOrder(body, OUTPUT_MEMBERS)) };
  });
}

function readChecks(text: string | undefined): { row: CheckResultRow; hash: string }[] {
  const list: unknown = text === undefined ? null : JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.filter(isRecord).map((check) => ({
    row: {
      configAddr: string(check['config_addr']),
      objectKind: string(check['object_kind']),
      status: string(check['status']),
      objects: (Array.isArray(check['objects']) ? check['objects'] : []).filter(isRecord).map((object) => ({
        object_addr: string(object['object_addr']),
        status: string(object['status']),
        failure_messages: (Array.isArray(object['failure_messages']) ? object['failure_messages'] : []).map(
          string,
        ),
      })),
    },
    hash: hashOf(JSON.stringify(check)),
  }));
}

function string(value: unknown): string {
  return typeof value === 'string' ? storableText(value) : '';
}

function hashOf(text: string): string {
  return Buffer.from(hash('sha256', text, 'hex').slice(0, 32), 'hex').toString('base64');
}

/** The client reads null as nothing. */
function given(text: string | undefined): string | undefined {
  return text === 'null' ? undefined : text;
}

function numberOf(text: string | undefined): number | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return typeof value === 'number' ? value : undefined;
}

function textual(text: string | undefined): string | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return typeof value === 'string' ? storableText(value) : undefined;
}
