import { storableText } from '../../platform/database/storable-text.js';
import { acceptableJson } from './attribute-masking.js';
import type { CopyTupleWriter } from './copy-tuple.js';
import type { InstanceMeta } from './instance-node.js';

const INSTANCE_COLUMNS = 18;

/** Whose rows the tuples are. */
export interface Owner {
  stateId: string;
  tenantId: string;
}

/** Bytes of the scanner's output. */
export interface Span {
  start: number;
  end: number;
}

export interface InstanceTuple {
  owner: Owner;
  meta: InstanceMeta;
  /** what the spans are cut from */
  out: Buffer;
  /** attributes that can be stored as they are, else their projected text */
  attributes: Span | string;
  members: ReadonlyMap<string, Span>;
  read: (member: string) => unknown;
  digest: Buffer;
}

/** Writes one row of `instances`, in the order of its columns. */
export function writeInstanceTuple(
  tuples: CopyTupleWriter,
  { owner, meta, out, attributes, members, read, digest }: InstanceTuple,
): void {
  tuples.begin(INSTANCE_COLUMNS);
  tuples.uuid(owner.stateId);
  tuples.uuid(meta.key);
  tuples.uuid(owner.tenantId);
  tuples.text(storableText(meta.address));
  tuples.text(storableText(meta.resourceAddress));
  tuples.text(meta.mode);
  tuples.text(meta.type);
  tuples.text(meta.name);
  tuples.text(meta.module);
  tuples.text(meta.provider);
  tuples.jsonb(meta.indexKey === undefined ? undefined : acceptableJson(JSON.stringify(meta.indexKey)));
  tuples.text(meta.deposed);
  tuples.text(textual(read('status')));
  const schemaVersion = read('schema_version');
  tuples.bigint(typeof schemaVersion === 'number' ? schemaVersion : undefined);
  tuples.bool(read('create_before_destroy') === true);
  const paths = members.get('sensitive_attributes');
  tuples.jsonb(paths && acceptableJson(out.toString('utf8', paths.start, paths.end)));
  if (typeof attributes === 'string') tuples.jsonb(attributes);
  else tuples.jsonbBytes(out, attributes.start, attributes.end);
  tuples.bytes(digest);
}

/** Text as the database can store it; undefined for what is no text. */
export function textual(value: unknown): string | undefined {
  return typeof value === 'string' ? storableText(value) : undefined;
}
