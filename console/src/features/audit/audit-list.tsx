import { Group, TextInput } from '@mantine/core';
import { useCallback } from 'react';
import { first, PageLink, useView } from '../../platform/address';
import type { AuditEntryView, AuditPageView } from '../../platform/client';
import { Id, Time } from '../../platform/formats';
import { type Column, FilterField, Listing } from '../../platform/table';
import { ValueTree } from '../../platform/values';

const NAMES = ['actor', 'action', 'from', 'to'] as const;
type Name = (typeof NAMES)[number];
type AuditView = Partial<Record<Name, string>>;

/** The filters of the address, as the service takes them. */
export function useAuditFilters() {
  const [view, setView] = useView<AuditView>();
  const query: AuditView = Object.fromEntries(
    NAMES.map((name) => [name, first(view[name])] as const).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  );
  return { query, setView, isFiltered: Object.keys(query).length > 0 };
}

export function AuditFilters({ filters }: { filters: ReturnType<typeof useAuditFilters> }) {
  const { query, setView } = filters;
  const setActor = useCallback((actor: string) => setView({ actor }), [setView]);
  const setAction = useCallback((action: string) => setView({ action }), [setView]);
  return (
    <Group align="flex-end" gap="sm">
      <FilterField
        aria-label="Actor"
        label="Actor"
        placeholder="Id of a user"
        value={query.actor ?? ''}
        onFilter={setActor}
      />
      <FilterField
        aria-label="Action"
        label="Action"
        placeholder="state.delete"
        value={query.action ?? ''}
        onFilter={setAction}
      />
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          type={/^(?:\d{4}-\d{2}-\d{2})?$/.test(query[name] ?? '') ? 'date' : 'text'}
          label={name === 'from' ? 'From' : 'To'}
          value={query[name] ?? ''}
          onChange={(event) => setView({ [name]: event.currentTarget.value })}
        />
      ))}
    </Group>
  );
}

type AuditQuery = Parameters<typeof Listing<AuditPageView, AuditEntryView>>[0]['query'];

export function AuditListing({ query, isFiltered }: { query: AuditQuery; isFiltered: boolean }) {
  return (
    <Listing
      name="Audit"
      query={query}
      rowsOf={(page) => page.entries}
      rowKey={({ id }) => id}
      total={query.data?.pages[0]?.total_count}
      columns={COLUMNS}
      empty={
        isFiltered
          ? 'No entry matches these filters.'
          : 'No entries yet. Whatever changes rights, keys, people or states is written here.'
      }
    />
  );
}

const COLUMNS: Column<AuditEntryView>[] = [
  { header: 'Time', cell: ({ created_at }) => <Time value={created_at} /> },
  { header: 'Actor', cell: ({ actor }) => <Actor actor={actor} /> },
  { header: 'Action', cell: ({ action }) => action },
  { header: 'Object', isWide: true, cell: (entry) => <AuditObject entry={entry} /> },
  {
    header: 'Details',
    isWide: true,
    cell: ({ data }) => (Object.keys(data).length === 0 ? '–' : <ValueTree value={data} />),
  },
];

function Actor({ actor }: { actor: AuditEntryView['actor'] }) {
  if (!actor) return <>–</>;
  return (
    <>
      <bdi>{actor.name}</bdi>
      {actor.credential !== undefined && (
        <span title={actor.credential}> ({actor.credential.split(':')[0]})</span>
      )}
    </>
  );
}

const PAGES: Readonly<Record<string, string>> = { state: '/states/', transaction: '/transactions/' };

function AuditObject({ entry }: { entry: AuditEntryView }) {
  const { object_type, object_id } = entry;
  if (object_id === undefined) return <>{object_type}</>;
  const page = PAGES[object_type];
  return (
    <>
      {object_type}{' '}
      {page === undefined ? (
        <Id value={object_id} />
      ) : (
        <PageLink to={`${page}${encodeURIComponent(object_id)}`}>{object_id.slice(0, 8)}</PageLink>
      )}
    </>
  );
}
