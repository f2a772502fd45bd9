import { hash } from 'node:crypto';
import { projectAttributes, remoteStateText } from './attribute-masking.js';
import { CopyTupleWriter } from './copy-tuple.js';
import { NotAState } from './document-frame.js';
import { instanceAddress, keyOf, providerSource, resourceAddress } from './instance-address.js';
import type { InstanceMeta, InstanceNode, ParsedResources } from './instance-node.js';
import { type Owner, type Span, textual, writeInstanceTuple } from './instance-tuple.js';
import { JsonScanner, MAX_DEPTH, Undecomposable } from './json-scanner.js';
import { inMemberOrder, isInOrder } from './member-order.js';
import { INSTANCE_MEMBERS } from './instance-members.js';
import {
  isComplete,
  isHeaderName,
  parseHeader,
  readHeaderMember,
  type ResourceHeader,
} from './resource-header.js';

const COMMA = 0x2c;
/** Characters. The longest one that is in use has some 60. */
const MAX_NAME_LENGTH = 512;

/**
 * Parses a run of resource objects as it stands in a document: objects separated by commas, perhaps with a comma at
 * the end. `context` is the header of the resource whose `instances` the run begins inside of; `open` says that the
 * run ends inside of an `instances` array.
 */
export class ResourceParser {
  private readonly scanner: JsonScanner;
  private readonly nodes: InstanceNode[] = [];
  private readonly tupleEnds: number[] = [];
  private readonly tuples: CopyTupleWriter;
  private emptyResources = 0;
  private reason: string | undefined;

  constructor(
    bytes: Buffer,
    private readonly owner: Owner,
    private readonly context: Buffer | undefined,
    private readonly open: boolean,
  ) {
    this.scanner = new JsonScanner(bytes);
    this.tuples = new CopyTupleWriter(bytes.length + 4096);
  }

  parse(): ParsedResources {
    const { scanner } = this;
    if (this.context) this.continueResource(parseHeader(this.context));
    while (scanner.peek() !== -1) {
      this.resource();
      if (scanner.peek() !== -1) scanner.take(COMMA);
    }
    if (this.reason !== undefined) throw new Undecomposable(this.reason);
    return {
      nodes: this.nodes,
      emptyResources: this.emptyResources,
      tuples: this.tuples.take(),
      tupleEnds: Uint32Array.from(this.tupleEnds),
    };
  }

  /** There will be no graph, but all of the run is still read: it must be JSON to its end. */
  private fail(reason: string): void {
    this.reason ??= reason;
  }

  private continueResource(header: ResourceHeader): void {
    const { scanner } = this;
    if (!this.instances(header)) return;
    while (scanner.takeIf(COMMA)) {
      const name = scanner.key();
      if (isHeaderName(name))
        this.fail(`${name} of resource ${header.type}.${header.name} must come before its instances`);
      scanner.value();
    }
    scanner.take(0x7d);
    if (scanner.peek() !== -1) scanner.take(COMMA);
  }

  private resource(): void {
    const { scanner } = this;
    const header: ResourceHeader = {};
    const begin = { nodes: this.nodes.length, tuples: this.tuples.offset };
    let instancesAt: number | undefined;
    let unread = false;
    if (scanner.peek() !== 0x7b) this.refuse('a resource is not an object');
    scanner.take(0x7b);
    if (!scanner.takeIf(0x7d)) {
      do {
        const name = scanner.key();
        if (name === 'instances') {
          scanner.peek();
          instancesAt = scanner.pos;
          unread = !isComplete(header);
          if (unread) this.skipValue();
          else if (!this.instances(header)) return;
        } else {
          // Most resources have no module, so that its absence says nothing until the resource ends.
          if (isHeaderName(name)) unread = true;
          readHeaderMember(scanner, header, name);
        }
      } while (scanner.takeIf(COMMA));
      scanner.take(0x7d);
    }
    if (unread && instancesAt !== undefined) this.readAgain(header, instancesAt, begin);
    if (this.nodes.length === begin.nodes) this.emptyResources++;
  }

  /** Reads the instances once it is known what they are instances of; what was made of them before is dropped. */
  private readAgain(
    header: ResourceHeader,
    instancesAt: number,
    begin: { nodes: number; tuples: number },
  ): void {
    const { scanner } = this;
    const after = scanner.pos;
    this.nodes.length = begin.nodes;
    this.tupleEnds.length = begin.nodes;
    this.tuples.rewind(begin.tuples);
    scanner.pos = instancesAt;
    this.instances(header);
    scanner.pos = after;
  }

  private skipValue(): void {
    const { scanner } = this;
    const mark = scanner.length;
    scanner.value();
    scanner.length = mark;
  }

  /** Reads `[…]`, or the rest of it after a cut; false when the run ends before the array does. */
  private instances(header: ResourceHeader): boolean {
    const { scanner } = this;
    const { mode = '', type = '', name = '' } = header;
    if (mode === '' || type === '' || name === '') this.fail('a resource lacks mode, type or name');
    // Indexes and SQL queries hold these as they are.
    if ([mode, type, name, header.provider ?? ''].some((part) => part.length > MAX_NAME_LENGTH))
      this.fail(`a resource has a mode, type, name or provider of more than ${MAX_NAME_LENGTH} characters`);

    const inside = this.nodes.length === 0 && scanner.length === 0 && this.context !== undefined;
    // A cut is made after a comma: an instance has to follow.
    if (!inside) {
      if (!scanner.takeIf(0x5b)) return this.noList();
      if (scanner.takeIf(0x5d)) return true;
    }
    for (;;) {
      if (scanner.peek() === -1 && this.open) return false;
      this.instance(header, mode, type, name);
      if (scanner.peek() === -1 && this.open) return false;
      if (!scanner.takeIf(COMMA)) break;
    }
    scanner.take(0x5d);
    return true;
  }

  /** The client reads null as no instances. */
  private noList(): true {
    const { scanner } = this;
    scanner.peek();
    const start = scanner.length;
    scanner.value();
    if (scanner.out.toString('utf8', start, Math.min(scanner.length, start + 5)) !== 'null')
      throw new NotAState('the instances of a resource are not a list');
    scanner.length = start;
    return true;
  }

  /** The client reads null as an instance without attributes. */
  private noObject(): void {
    const { scanner } = this;
    const start = scanner.length;
    if (scanner.peek() !== 0x6e) this.refuse('an instance is not an object');
    scanner.value();
    scanner.length = start;
    this.fail('an instance is null');
  }

  /** There is JSON, but no state document. */
  private refuse(reason: string): never {
    this.scanner.value();
    throw new NotAState(reason);
  }

  private instance(header: ResourceHeader, mode: string, type: string, name: string): void {
    const { scanner } = this;
    const members = new Map<string, Span>();
    scanner.odd = false;
    scanner.unordered = false;
    scanner.deepest = 0;
    if (scanner.peek() !== 0x7b) return this.noObject();
    const start = scanner.length;
    scanner.take(0x7b);
    if (!scanner.takeIf(0x7d)) {
      do {
        const member = scanner.key();
        const valueStart = scanner.length;
        scanner.value();
        members.set(member, { start: valueStart, end: scanner.length });
      } while (scanner.takeIf(COMMA));
      scanner.take(0x7d);
    }
    if (scanner.deepest > MAX_DEPTH) this.fail(`values are nested more than ${MAX_DEPTH} deep`);
    else this.add(header, { mode, type, name, members, whole: { start, end: scanner.length } });
    // `out` is reused from here: what it held has been hashed and written as a tuple.
    scanner.length = start;
  }

  private add(
    header: ResourceHeader,
    {
      mode,
      type,
      name,
      members,
      whole,
    }: { mode: string; type: string; name: string; members: Map<string, Span>; whole: Span },
  ): void {
    const { out } = this.scanner;
    const read = (member: string): unknown => {
      const span = members.get(member);
      return span && (JSON.parse(out.toString('utf8', span.start, span.end)) as unknown);
    };
    const indexKey = indexOf(read('index_key'));
    const deposed = textual(read('deposed'));
    const resource = resourceAddress(header.module, mode, type, name);
    const address = instanceAddress(resource, indexKey);
    const provider = providerSource(header.provider ?? '');
    const identity = `${mode}\0${resource}\0${header.provider ?? ''}\0`;
    const meta: InstanceMeta = {
      key: keyOf(address, deposed),
      address,
      resourceAddress: resource,
      mode,
      type,
      name,
      provider,
      dependencies: namesOf(read('dependencies') ?? read('depends_on')),
      ...(header.module ? { module: header.module } : {}),
      ...(indexKey === undefined ? {} : { indexKey }),
      ...(deposed === undefined ? {} : { deposed }),
    };
    const digest = Buffer.from(
      hash('sha256', Buffer.concat([Buffer.from(identity), this.ordered(members, whole)]), 'hex').slice(
        0,
        32,
      ),
      'hex',
    );
    const isRemoteState = mode === 'data' && type === 'terraform_remote_state';
    const sensitive = read('sensitive_attributes');
    const attributes = this.attributes(members, sensitive, { isRemoteState });
    if (isRemoteState) meta.remoteState = remoteStateText(this.attributesText(members), sensitive);
    const { owner, tuples } = this;
    writeInstanceTuple(tuples, { owner, meta, out, attributes, members, read, digest });
    this.tupleEnds.push(tuples.offset);
    this.nodes.push({ ...meta, hash: digest.toString('base64') });
  }

  /** An instance says the same in whatever order its members stand. */
  private ordered(members: Map<string, Span>, whole: Span): Buffer {
    const { out, unordered } = this.scanner;
    const text = out.subarray(whole.start, whole.end);
    if (!unordered && isInOrder(members.keys(), INSTANCE_MEMBERS)) return text;
    return Buffer.from(inMemberOrder(text.toString(), INSTANCE_MEMBERS));
  }

  /** The span of attributes that can be stored as they are, else their projected text. */
  private attributes(
    members: Map<string, Span>,
    sensitive: unknown,
    { isRemoteState }: { isRemoteState: boolean },
  ): Span | string {
    const span = members.get('attributes') ?? members.get('attributes_flat');
    if (!span) return '{}';
    const { out, odd } = this.scanner;
    if (span.end - span.start === 4 && out.toString('utf8', span.start, span.end) === 'null') return '{}';
    const plain = !odd && !isRemoteState && !(Array.isArray(sensitive) && sensitive.length > 0);
    return plain ? span : projectAttributes(this.attributesText(members), sensitive, { isRemoteState });
  }

  private attributesText(members: Map<string, Span>): string {
    const span = members.get('attributes') ?? members.get('attributes_flat');
    return span ? this.scanner.out.toString('utf8', span.start, span.end) : '{}';
  }
}

function indexOf(value: unknown): string | number | undefined {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}
