import {
  ApiFailure,
  githubKvGet,
  githubKvIterate,
  githubKvRemove,
  gitlabKvGet,
  gitlabKvIterate,
  gitlabKvRemove,
  type KvRecordView,
} from '../../platform/client';
import { providerOf } from '../vcs';
import { type KvPage, type KvPlace, pageOf } from './key-pages';

const PROVIDERS = {
  github: { get: githubKvGet, iterate: githubKvIterate, remove: githubKvRemove },
  gitlab: { get: gitlabKvGet, iterate: gitlabKvIterate, remove: gitlabKvRemove },
};
const PAGE_SIZE = 200;
/** Keys hold no NUL character, so this is before all of them. */
const FIRST_KEY = '\u0001';

/** The calls of one namespace. */
export interface Namespace {
  /** provider and installation, also for keys of queries */
  id: string;
  provider: 'github' | 'gitlab';
  /** the same in addresses */
  path: string;
  page: (prefix: string, after: KvPlace | undefined) => Promise<KvPage>;
  read: (place: KvPlace) => Promise<KvRecordView>;
  /** Deletes the record if it still has this version; throws otherwise. */
  remove: (place: KvPlace, version: number) => Promise<void>;
}

/** Undefined for a provider that is not known. Both spellings of a provider are the same namespace. */
export function namespaceOf(vcs: string, installationId: string): Namespace | undefined {
  const provider = providerOf(vcs);
  if (!provider) return undefined;
  const { get, iterate, remove } = PROVIDERS[provider];
  return {
    id: `${provider}/${installationId}`,
    provider,
    path: `${provider}/${encodeURIComponent(installationId)}`,
    async page(prefix, after) {
      const { data } = await iterate({
        path: { installationId, key: after?.key ?? (prefix === '' ? FIRST_KEY : prefix) },
        query: {
          committed: false,
          include_data: false,
          limit: PAGE_SIZE,
          ...(after ? { inclusive: false, idx: after.idx } : { prefix: prefix !== '' }),
        },
        throwOnError: true,
      });
      return pageOf(data, prefix);
    },
    async read({ key, idx }) {
      const query = { idx, committed: false };
      return (await get({ path: { installationId, key }, query, throwOnError: true })).data;
    },
    async remove({ key, idx }, version) {
      const query = { idx, version };
      const { data } = await remove({ path: { installationId, key }, query, throwOnError: true });
      if (!data.result)
        throw new ApiFailure(
          409,
          'CHANGED',
          'The record was changed or deleted meanwhile; nothing was deleted.',
        );
    },
  };
}
