import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { PageLink } from '../../platform/address';
import { BY_PAGE_TOKEN, graphModulesInfiniteOptions, type ModuleView } from '../../platform/client';
import { formatCount } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { useStateOfPage } from '../states';
import { moduleDepth, moduleOrder } from './module-tree';
import { quoted } from './search-terms';

/** Modules of a state as a tree: children stand below their parent. */
export function ModulesPage() {
  const state = useStateOfPage();
  usePage('Modules', state.name);
  const query = useInfiniteQuery({
    ...graphModulesInfiniteOptions({ path: { stateId: state.id }, query: { limit: 1_000 } }),
    ...BY_PAGE_TOKEN,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, error } = query;
  // A tree needs all of its nodes before it can be put in order.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage]);
  const all = query.data?.pages.flatMap((page) => page.results) ?? [];
  const sorted = { ...query, data: query.data && { pages: [moduleOrder(all)] } };
  const columns: Column<ModuleView>[] = [
    {
      header: 'Module',
      cell: (module) => (
        <div style={{ paddingInlineStart: moduleDepth(module.name) * 18 }}>
          <PageLink to={`/states/${state.id}/instances`} search={{ q: `module:${quoted(module.name)}` }}>
            <bdi>{module.name}</bdi>
          </PageLink>
        </div>
      ),
    },
    { header: 'Resources', isNumber: true, cell: (module) => formatCount(module.resource_count) },
    { header: 'Instances', isNumber: true, cell: (module) => formatCount(module.instance_count) },
  ];
  return (
    <>
      <Text size="sm" c="dimmed">
        Counts are of a module itself; its child modules have rows of their own.
      </Text>
      <Listing
        name="Modules"
        query={{ ...sorted, hasNextPage: false }}
        rowsOf={(page) => page}
        rowKey={(module) => module.name}
        columns={columns}
        empty="No modules yet. They appear with the first apply."
      />
    </>
  );
}
