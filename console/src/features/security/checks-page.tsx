import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useAllowed } from '../../platform/access';
import { first, PageLink, usePathId, useView } from '../../platform/address';
import { type CheckView, securityChecksListOptions } from '../../platform/client';
import { useDialog } from '../../platform/dialogs';
import { Answer, Empty } from '../../platform/errors';
import { plural } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable, FilterField } from '../../platform/table';
import { useTenants } from '../../platform/tenant';
import { DeleteCheckDialog, SaveCheckDialog } from './check-dialogs';
import { Severity } from './severities';

const PROVIDERS = ['aws', 'azure', 'gcp', 'kubernetes', 'github'] as const;

interface ChecksView extends Record<string, string | string[] | undefined> {
  search?: string;
  provider?: string;
}

/** The checks that apply in a tenant: the built-in ones and its own. */
export function ChecksPage() {
  const tenantId = usePathId('tenantId');
  const { tenants } = useTenants();
  const [view, setView] = useView<ChecksView>();
  const [search = '', provider = ''] = [first(view.search), first(view.provider)];
  const catalogue = useQuery(securityChecksListOptions({ query: { tenant_id: tenantId } }));
  const mayEdit = useAllowed({ capability: 'admin', tenantId });
  const writing = useDialog<true>();
  const setSearch = useCallback((text: string) => setView({ search: text }), [setView]);
  return (
    <Page title="Security checks" object={tenants.find(({ id }) => id === tenantId)?.name}>
      <Group align="flex-end" gap="sm">
        <FilterField
          aria-label="Search checks"
          label="Search"
          placeholder="id, alias, type or title"
          value={search}
          onFilter={setSearch}
        />
        <NativeSelect
          label="Provider"
          data={[
            { value: '', label: 'any' },
            ...PROVIDERS,
            { value: 'custom', label: 'checks of this tenant' },
          ]}
          value={provider}
          onChange={(event) => setView({ provider: event.currentTarget.value })}
        />
        {mayEdit && <Button onClick={() => writing.open(true)}>New check</Button>}
      </Group>
      <Answer of={catalogue}>
        {({ checks }) => (
          <Checks checks={checks.filter((check) => isShown(check, search, provider))} tenantId={tenantId} />
        )}
      </Answer>
      {writing.subject && <SaveCheckDialog tenantId={tenantId} onClose={writing.close} />}
    </Page>
  );
}

function isShown(check: CheckView, search: string, provider: string): boolean {
  if (provider === 'custom' ? !check.custom : provider !== '' && check.provider !== provider) return false;
  const text = [check.check_id, check.title, ...check.aliases, ...check.resource_types]
    .join('\n')
    .toLowerCase();
  return text.includes(search.trim().toLowerCase());
}

function Checks({ checks, tenantId }: { checks: readonly CheckView[]; tenantId: string }) {
  const mayEdit = useAllowed({ capability: 'admin', tenantId });
  const editing = useDialog<CheckView>();
  const deleting = useDialog<CheckView>();
  const columns: Column<CheckView>[] = [
    {
      header: 'Check',
      cell: ({ check_id }) => (
        <PageLink to={`/tenants/${tenantId}/security`} search={{ check_id }}>
          {check_id}
        </PageLink>
      ),
    },
    { header: 'Severity', cell: ({ severity }) => <Severity name={severity} /> },
    {
      header: 'Rule and remedy',
      cell: ({ title, remediation }) => (
        <>
          <bdi>{title}</bdi>
          <Text size="xs" component="div">
            <bdi>{remediation}</bdi>
          </Text>
        </>
      ),
    },
    {
      header: 'Resource types',
      isWide: true,
      cell: ({ resource_types: types }) => (
        <span style={{ overflowWrap: 'anywhere' }}>{types.join(', ')}</span>
      ),
    },
    { header: 'Also known as', isWide: true, cell: ({ aliases }) => aliases.join(', ') || '–' },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (check) =>
        check.custom &&
        mayEdit && (
          <Group gap="xs">
            <Button size="compact-sm" variant="default" onClick={() => editing.open(check)}>
              Edit
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => deleting.open(check)}>
              Delete
            </Button>
          </Group>
        ),
    },
  ];
  return (
    <>
      <Text size="sm">{plural(checks.length, 'check')}</Text>
      {checks.length === 0 ? (
        <Empty>No check matches these filters.</Empty>
      ) : (
        <DataTable name="Checks" rows={checks} rowKey={({ check_id }) => check_id} columns={columns} />
      )}
      {editing.subject && (
        <SaveCheckDialog tenantId={tenantId} check={editing.subject} onClose={editing.close} />
      )}
      {deleting.subject && (
        <DeleteCheckDialog tenantId={tenantId} check={deleting.subject} onClose={deleting.close} />
      )}
    </>
  );
}
