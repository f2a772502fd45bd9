import type { KvRecordView } from './dto/kv.dto.js';
import type { KvRecord } from './kv-records.store.js';

export function toKvRecordView(record: KvRecord): KvRecordView {
  const { key, data, idx, version, committed, created_at, size, read_caps, write_caps } = record;
  return {
    key,
    ...(data === undefined ? {} : { data }),
    idx,
    version,
    committed,
    created_at: created_at.toISOString(),
    size,
    ...(read_caps === null ? {} : { read_caps }),
    ...(write_caps === null ? {} : { write_caps }),
  };
}
