import { Badge, Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { first, PageLink, usePathIds, useView } from '../../platform/address';
import type { KvRecordView } from '../../platform/client';
import { NotFound } from '../../platform/errors';
import { useDialog } from '../../platform/dialogs';
import { formatBytes, formatCount, Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, FilterField, Listing } from '../../platform/table';
import { InstallationTabs } from '../vcs';
import { DeleteRecordDialog } from './delete-record-dialog';
import type { KvPlace } from './key-pages';
import { type Namespace, namespaceOf } from './namespace';
import { RecordPanel } from './record-panel';

interface KvView extends Record<string, string | string[] | undefined> {
  prefix?: string;
  /** key and idx of the opened record */
  key?: string;
  idx?: string;
}

/** The records of one installation's namespace. */
export function KvPage() {
  const { vcs = '', installationId = '' } = usePathIds();
  const namespace = namespaceOf(vcs, installationId);
  if (!namespace) return <NotFound what="This code-hosting provider is not known" />;
  return (
    <Page title="Key-value store" object={namespace.id}>
      <InstallationTabs vcs={namespace.provider} installationId={installationId} />
      <Keys namespace={namespace} />
    </Page>
  );
}

function Keys({ namespace }: { namespace: Namespace }) {
  const [view, setView] = useView<KvView>();
  const prefix = first(view.prefix) ?? '';
  const setPrefix = useCallback((text: string) => setView({ prefix: text }), [setView]);
  const deleting = useDialog<KvRecordView>();
  const query = useInfiniteQuery({
    queryKey: ['kv', namespace.id, 'keys', prefix],
    queryFn: async ({ pageParam }) => namespace.page(prefix, pageParam),
    initialPageParam: undefined as KvPlace | undefined,
    getNextPageParam: ({ last }) => last,
  });
  const opened = openedOf(view);
  return (
    <>
      <Text size="sm">
        Records of <bdi>{namespace.id}</bdi>, in the order of their keys. Uncommitted records are shown as
        well.
      </Text>
      <FilterField
        aria-label="Prefix"
        label="Prefix"
        placeholder="locks/"
        value={prefix}
        onFilter={setPrefix}
        maw="24rem"
      />
      <Listing
        name="Keys"
        query={query}
        rowsOf={({ records }) => records}
        rowKey={({ key, idx }) => `${idx} ${key}`}
        isSelected={({ key, idx }) => key === opened?.key && idx === opened.idx}
        columns={columnsOf({ namespace, prefix, onDelete: deleting.open })}
        empty={
          prefix === ''
            ? 'No records yet. Workflows keep locks, counters and results here; infrastate kv put writes one.'
            : 'No key begins with this prefix.'
        }
      />
      {opened && (
        <RecordPanel
          key={`${opened.idx} ${opened.key}`}
          namespace={namespace}
          place={opened}
          onClose={() => setView({ key: undefined, idx: undefined })}
        />
      )}
      {deleting.subject && (
        <DeleteRecordDialog namespace={namespace} record={deleting.subject} onClose={deleting.close} />
      )}
    </>
  );
}

function openedOf(view: KvView): KvPlace | undefined {
  const key = first(view.key);
  if (key === undefined) return undefined;
  const idx = first(view.idx) ?? '0';
  return { key, idx: /^\d{1,5}$/.test(idx) ? Number(idx) : 0 };
}

interface ColumnsOptions {
  namespace: Namespace;
  prefix: string;
  onDelete: (record: KvRecordView) => void;
}

function columnsOf({ namespace, prefix, onDelete }: ColumnsOptions): Column<KvRecordView>[] {
  const path = `/installations/${namespace.path}/kv`;
  return [
    {
      header: 'Key',
      cell: ({ key, idx }) => (
        <PageLink to={path} search={{ prefix, key, idx: idx === 0 ? undefined : String(idx) }}>
          <bdi style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{key}</bdi>
        </PageLink>
      ),
    },
    { header: 'Index', isNumber: true, isWide: true, cell: ({ idx }) => formatCount(idx) },
    { header: 'Version', isNumber: true, cell: ({ version }) => formatCount(version) },
    {
      header: 'Status',
      cell: ({ committed }) => (committed ? 'Committed' : <Badge variant="default">Uncommitted</Badge>),
    },
    { header: 'Size', isNumber: true, isWide: true, cell: ({ size }) => formatBytes(size) },
    { header: 'Written', isWide: true, cell: ({ created_at }) => <Time value={created_at} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (record) => (
        <Button size="compact-sm" variant="default" onClick={() => onDelete(record)}>
          Delete
        </Button>
      ),
    },
  ];
}
