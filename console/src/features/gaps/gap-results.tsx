import { Alert, Button, Checkbox, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type GapAnalysisView,
  type GapPendingView,
  type GapResourceView,
  gapsAnalyze,
  gapsAnalyzeOptions,
  gapsGenerateImportMutation,
  tasksGetOptions,
} from '../../platform/client';
import { Answer, Empty, FailureAlert } from '../../platform/errors';
import { Facts, formatCount, Time } from '../../platform/formats';
import { type Column, DataTable } from '../../platform/table';
import type { Cloud } from './clouds';
import { ImportTexts } from './import-texts';

const POLL_MS = 2_000;
/** Of one request for import configuration. */
const MAX_IMPORTED = 1_000;

const isPending = (found: GapAnalysisView | GapPendingView | undefined): found is GapPendingView =>
  found !== undefined && 'status' in found;
const idOf = ({ arn, id }: GapResourceView): string => arn ?? id ?? '';

/** The result of the last scan, or how far a scan is. */
export function GapResults({
  tenantId,
  provider,
  isReady,
}: {
  tenantId: string;
  provider: Cloud;
  isReady: boolean;
}) {
  const place = { path: { tenantId }, query: { provider } };
  const analysis = useQuery({
    ...gapsAnalyzeOptions(place),
    enabled: isReady,
    refetchInterval: ({ state: { data } }) =>
      isPending(data) && data.status === 'running' ? POLL_MS : false,
  });
  const refresh = useMutation({
    mutationFn: () => gapsAnalyze({ ...place, query: { provider, source: 'no-cache' }, throwOnError: true }),
    onSettled: () => void analysis.refetch(),
  });
  if (!isReady) return <Empty>The cloud must be set up before it can be scanned.</Empty>;
  return (
    <Stack gap="md">
      <Group>
        <Button variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
          Scan again
        </Button>
      </Group>
      <FailureAlert failure={refresh.error} />
      <Answer of={analysis}>
        {(found) =>
          isPending(found) ? (
            <Pending scan={found} />
          ) : (
            <Result analysis={found} place={{ tenantId, provider }} />
          )
        }
      </Answer>
    </Stack>
  );
}

function Pending({ scan }: { scan: GapPendingView }) {
  const task = useQuery({
    ...tasksGetOptions({ path: { taskId: scan.task_id ?? '' } }),
    enabled: scan.task_id !== undefined && scan.status === 'running',
    refetchInterval: POLL_MS,
  });
  if (scan.status === 'failed')
    return (
      <Alert color="red" variant="light" title="The scan failed" role="alert">
        <Text size="sm">{[scan.error?.message, scan.error?.action].filter(Boolean).join(': ')}</Text>
      </Alert>
    );
  return (
    <Group gap="sm" role="status">
      <Loader size="sm" />
      <Text size="sm">Scanning… {task.data?.progress?.message}</Text>
    </Group>
  );
}

function Result({
  analysis,
  place,
}: {
  analysis: GapAnalysisView;
  place: { tenantId: string; provider: Cloud };
}) {
  const { summary, unmanaged_resources: resources, fetched_at, error } = analysis;
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const generate = useMutation(gapsGenerateImportMutation());
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = resources.filter((row) => {
    const text =
      `${row.resource_type} ${row.region ?? 'global'} ${idOf(row)} ${row.name ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const toggle = (id: string): void =>
    setChosen(
      (before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]),
    );
  const columns: Column<GapResourceView>[] = [
    {
      header: 'Select',
      isHeaderHidden: true,
      cell: (row) => (
        <Checkbox
          aria-label={`Select ${idOf(row)}`}
          disabled={!row.supported}
          checked={chosen.has(idOf(row))}
          onChange={() => toggle(idOf(row))}
        />
      ),
    },
    ...COLUMNS,
  ];
  const generateChosen = (): void =>
    generate.mutate({
      path: { tenantId: place.tenantId },
      body: {
        provider: place.provider,
        resources: resources
          .filter((row) => chosen.has(idOf(row)))
          .map((row) => ({
            ...{ arn: idOf(row), service: row.service, resource_type: row.resource_type },
            ...{ region: row.region, owning_account_id: row.owning_account_id },
          })),
      },
    });
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Resources', formatCount(summary.total_cloud_resources)],
          ['Unmanaged', formatCount(summary.unmanaged)],
          ['Made by the cloud', formatCount(summary.phantom_filtered)],
          ['Scanned', <Time value={new Date(Number(fetched_at) * 1_000).toISOString()} />],
        ]}
      />
      {error && (
        <Alert color="gray" variant="light" title="A later scan failed">
          <Text size="sm">{error.message}</Text>
        </Alert>
      )}
      {resources.length === 0 ? (
        <Empty>Every resource of the cloud is managed by a state.</Empty>
      ) : (
        <>
          <Group align="flex-end">
            <TextInput
              label="Filter"
              placeholder="Type, region or name"
              value={filter}
              onChange={(event) => setFilter(event.currentTarget.value)}
            />
            <Button
              disabled={chosen.size === 0 || chosen.size > MAX_IMPORTED}
              loading={generate.isPending}
              onClick={generateChosen}
            >
              Generate import{chosen.size > 0 && ` of ${formatCount(chosen.size)}`}
            </Button>
          </Group>
          <DataTable name="Unmanaged resources" rows={rows} rowKey={idOf} columns={columns} />
        </>
      )}
      <FailureAlert failure={generate.error} />
      {generate.data && <ImportTexts texts={generate.data} />}
    </Stack>
  );
}

const COLUMNS: Column<GapResourceView>[] = [
  { header: 'Type', cell: ({ resource_type }) => resource_type },
  { header: 'Region', isWide: true, cell: ({ region }) => region ?? 'global' },
  { header: 'Account', isWide: true, cell: ({ owning_account_id }) => owning_account_id ?? '–' },
  {
    header: 'Resource',
    cell: (row) => <bdi style={{ overflowWrap: 'anywhere' }}>{row.name ?? idOf(row)}</bdi>,
  },
];
