import { infiniteQueryOptions } from '@tanstack/react-query';
import { BY_PAGE_TOKEN, graphList, type InstanceView } from '../../platform/client';

/** What a row of the list shows; attributes of 100,000 instances would fill the memory of the browser. */
export interface InstanceRow {
  address: string;
  type: string;
  module: string | null;
  provider: string;
  mode: string;
  status: string | undefined;
  deposed: string | undefined;
}

const PAGE_SIZE = 500;

/** Rows of the instances of a state, page by page. */
export function instanceRowsOptions(stateId: string, q: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['instance rows', stateId, q],
    initialPageParam: '',
    getNextPageParam: BY_PAGE_TOKEN.getNextPageParam,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await graphList({
        path: { stateId },
        query: { q, limit: PAGE_SIZE, page: pageParam === '' ? undefined : pageParam },
        signal,
        throwOnError: true,
      });
      return { rows: data.results.map(rowOf), next_page: data.next_page };
    },
  });
}

function rowOf({ address, type, module, provider, mode, status, deposed }: InstanceView): InstanceRow {
  return { address, type, module, provider, mode, status, deposed };
}
