import { SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type KvRecordView, parseLossless, stringifyLossless } from '../../platform/client';
import { SidePanel } from '../../platform/dialogs';
import { Answer, ErrorBoundary } from '../../platform/errors';
import { CopyButton, Facts, formatBytes, formatCount, Time } from '../../platform/formats';
import { ValueTree } from '../../platform/values';
import type { KvPlace } from './key-pages';
import type { Namespace } from './namespace';

interface RecordPanelProps {
  namespace: Namespace;
  place: KvPlace;
  onClose: () => void;
}

/** One record with its data. */
export function RecordPanel({ namespace, place, onClose }: RecordPanelProps) {
  const record = useQuery({
    queryKey: ['kv', namespace.id, 'record', place.key, place.idx],
    queryFn: async () => namespace.read(place),
  });
  return (
    <SidePanel title={<bdi style={{ overflowWrap: 'anywhere' }}>{place.key}</bdi>} onClose={onClose}>
      <ErrorBoundary resetKey={`${place.idx} ${place.key}`}>
        <Answer of={record}>{(found) => <RecordDetails record={found} />}</Answer>
      </ErrorBoundary>
    </SidePanel>
  );
}

function RecordDetails({ record }: { record: KvRecordView }) {
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Index', formatCount(record.idx)],
          ['Version', formatCount(record.version)],
          ['Status', record.committed ? 'Committed' : 'Uncommitted'],
          ['Size', formatBytes(record.size)],
          ['Written', <Time value={record.created_at} />],
          ...capabilityFacts(record),
        ]}
      />
      <DataViewer data={record.data ?? ''} />
    </Stack>
  );
}

function capabilityFacts({ read_caps, write_caps }: KvRecordView): [string, string][] {
  const facts: [string, string][] = [];
  if (read_caps !== undefined) facts.push(['Needed to read', stringifyLossless(read_caps)]);
  if (write_caps !== undefined) facts.push(['Needed to write', stringifyLossless(write_caps)]);
  return facts;
}

/** Data as text, and as a tree where it is JSON with members. */
function DataViewer({ data }: { data: string }) {
  const json = useMemo(() => jsonOf(data), [data]);
  const [form, setForm] = useState(json === undefined ? 'Text' : 'JSON');
  return (
    <Stack gap="xs" align="flex-start" component="section" aria-label="Data">
      {json !== undefined && (
        <SegmentedControl aria-label="Show data as" data={['JSON', 'Text']} value={form} onChange={setForm} />
      )}
      <ValueTree value={form === 'JSON' ? json : data} />
      <CopyButton text={data} />
    </Stack>
  );
}

function jsonOf(data: string): object | undefined {
  if (!/^\s*[{[]/.test(data)) return undefined;
  try {
    return parseLossless(data) as object;
  } catch {
    return undefined;
  }
}
