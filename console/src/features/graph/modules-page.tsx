import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { PageLink, useView } from '../../platform/address';
import { BY_PAGE_TOKEN, graphModulesInfiniteOptions, type ModuleView } from '../../platform/client';
import { formatCount } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { type Column, Listing } from '../../platform/table';
import { useStateOfPage } from '../states';
import { emptyWords } from './empty-words';
import { type ModuleRow, moduleRows } from './module-tree';
import { quoted } from './search-terms';

const INDENT = 18;
const NO_MODULES: ReadonlySet<string> = new Set();

/** Modules of a state as a tree: children stand below their parent, which can be folded. */
export function ModulesPage() {
  const state = useStateOfPage();
  usePage('Modules', state.name);
  const [view, setView] = useView<{ folded?: string | string[] }>();
  const folded = new Set([view.folded ?? []].flat());
  const fold = (names: Iterable<string>): void => setView({ folded: [...names] });
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
  const tree = { ...query, data: query.data && { pages: [moduleRows(all, folded)] }, hasNextPage: false };
  const parents = moduleRows(all, NO_MODULES).filter(({ hasChildren }) => hasChildren);
  const columns: Column<ModuleRow<ModuleView>>[] = [
    {
      header: 'Module',
      cell: (row) => (
        <ModuleName row={row} stateId={state.id} isFolded={folded.has(row.module.name)} onFold={toggle} />
      ),
    },
    { header: 'Resources', isNumber: true, cell: ({ module }) => formatCount(module.resource_count) },
    { header: 'Instances', isNumber: true, cell: ({ module }) => formatCount(module.instance_count) },
  ];
  function toggle(name: string): void {
    if (!folded.delete(name)) folded.add(name);
    fold(folded);
  }
  return (
    <>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Counts are of a module itself; its child modules have rows of their own.
        </Text>
        {parents.length > 0 && (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              onClick={() =>
                fold(parents.filter(({ depth }) => depth === 1).map(({ module }) => module.name))
              }
            >
              Collapse all
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => fold([])}>
              Expand all
            </Button>
          </Group>
        )}
      </Group>
      <Listing
        name="Modules"
        query={tree}
        rowsOf={(page) => page}
        rowKey={({ module }) => module.name}
        columns={columns}
        empty={emptyWords(state, 'No modules yet. They appear with the first apply.')}
      />
    </>
  );
}

interface ModuleNameProps {
  row: ModuleRow<ModuleView>;
  stateId: string;
  isFolded: boolean;
  onFold: (name: string) => void;
}

function ModuleName({ row, stateId, isFolded, onFold }: ModuleNameProps) {
  const { name } = row.module;
  return (
    <div style={{ paddingInlineStart: row.depth * INDENT }}>
      {row.hasChildren && (
        <UnstyledButton
          w={INDENT}
          aria-expanded={!isFolded}
          aria-label={`Child modules of ${name}`}
          onClick={() => onFold(name)}
        >
          <span aria-hidden="true">{isFolded ? '▸' : '▾'}</span>
        </UnstyledButton>
      )}
      <PageLink to={`/states/${stateId}/instances`} search={{ q: `module:${quoted(name)}` }}>
        <bdi>{name}</bdi>
      </PageLink>
    </div>
  );
}
