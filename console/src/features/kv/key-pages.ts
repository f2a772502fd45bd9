import type { KvRecordView } from '../../platform/client';

/** One record of a namespace. */
export interface KvPlace {
  key: string;
  idx: number;
}

export interface KvPage {
  records: KvRecordView[];
  /** the record after which the next page begins; undefined on the last page */
  last: KvPlace | undefined;
}

/** Pages after the first begin behind a record, not with the prefix: they end where the prefix ends. */
export function pageOf(
  { records, has_more }: { records: KvRecordView[]; has_more: boolean },
  prefix: string,
): KvPage {
  const shown = records.filter(({ key }) => key.startsWith(prefix));
  const last = shown.at(-1);
  return { records: shown, last: has_more && shown.length === records.length ? last : undefined };
}
