import type { KvRecordView } from '../../platform/client';

const SPELLINGS: Readonly<Record<string, 'github' | 'gitlab'>> = {
  github: 'github',
  vcs_a: 'github',
  gitlab: 'gitlab',
  vcs_b: 'gitlab',
};

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

/** Undefined for a provider that is not known. */
export function providerOf(vcs: string): 'github' | 'gitlab' | undefined {
  return Object.hasOwn(SPELLINGS, vcs) ? SPELLINGS[vcs] : undefined;
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
