import { Group, NativeSelect } from '@mantine/core';
import { useCallback } from 'react';
import { first, useView } from '../../platform/address';
import { FilterField } from '../../platform/table';
import { SEVERITIES } from './severities';

const STATUSES = ['open', 'suppressed', 'resolved', 'all'] as const;

interface FindingsView extends Record<string, string | string[] | undefined> {
  severity?: string;
  check_id?: string;
  reachable?: string;
  status?: string;
}

/** The filters of the address, as the service takes them; words it does not know are left out. */
export function useFindingFilters() {
  const [view, setView] = useView<FindingsView>();
  const [severity, check] = [first(view.severity), first(view.check_id)];
  const reachable = (['true', 'false'] as const).find((value) => value === first(view.reachable));
  const status = STATUSES.find((name) => name === first(view.status));
  return {
    setView,
    query: {
      ...(severity !== undefined && SEVERITIES.some((name) => name === severity) ? { severity } : {}),
      ...(check === undefined || check === '' ? {} : { check_id: check }),
      ...(reachable === undefined ? {} : { reachable }),
      ...(status === undefined ? {} : { status }),
    },
  };
}

export function FindingFilters({ filters }: { filters: ReturnType<typeof useFindingFilters> }) {
  const { query, setView } = filters;
  const setCheck = useCallback((check_id: string) => setView({ check_id }), [setView]);
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label="Severity"
        data={[{ value: '', label: 'any' }, ...SEVERITIES]}
        value={query.severity ?? ''}
        onChange={(event) => setView({ severity: event.currentTarget.value })}
      />
      <NativeSelect
        label="Reachable from the internet"
        data={[
          { value: '', label: 'any' },
          { value: 'true', label: 'yes' },
          { value: 'false', label: 'no' },
        ]}
        value={query.reachable ?? ''}
        onChange={(event) => setView({ reachable: event.currentTarget.value })}
      />
      <NativeSelect
        label="Status"
        data={[...STATUSES]}
        value={query.status ?? 'open'}
        onChange={(event) => setView({ status: event.currentTarget.value })}
      />
      <FilterField
        aria-label="Check"
        label="Check"
        placeholder="AWS-S3-001 or an alias"
        value={query.check_id ?? ''}
        onFilter={setCheck}
      />
    </Group>
  );
}
