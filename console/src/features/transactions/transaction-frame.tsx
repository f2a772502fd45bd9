import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useAllowed } from '../../platform/access';
import { PageLink, usePathId } from '../../platform/address';
import {
  textOf,
  transactionsAbortMutation,
  type TransactionDetailsView,
  transactionsGetOptions,
  type TransactionView,
} from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { Answer, ErrorBoundary } from '../../platform/errors';
import { Facts, Id, Time } from '../../platform/formats';
import { PageHeading, TabLinks } from '../../platform/page';
import { useEntries } from '../../platform/registry';
import { useTenantOf } from '../../platform/tenant';
import { isActive, TxStatus } from './statuses';
import { PlanSummary } from './transaction-columns';
import { TransactionContext } from './transaction-context';

/** With the query of the open tab at the same pace: less than a request in two seconds. */
export const FOLLOW_MS = 5_000;

/** What stands around every page of a transaction. */
export function TransactionFrame() {
  const txId = usePathId('txId');
  const details = useQuery({
    ...transactionsGetOptions({ path: { txId } }),
    refetchInterval: ({ state: { data } }) => (data && !isActive(data.tx.state) ? false : FOLLOW_MS),
  });
  return <Answer of={details}>{(found) => <LoadedFrame details={found} />}</Answer>;
}

function LoadedFrame({ details }: { details: TransactionDetailsView }) {
  const { tx } = details;
  const path = useLocation({ select: (location) => location.pathname });
  const tabs = useEntries('transactionTabs', { tenantId: tx.tenant_id });
  useTenantOf(tx.tenant_id);
  return (
    <TransactionContext value={details}>
      <Stack gap="md">
        <PageHeading
          title={`Transaction ${tx.id.slice(0, 8)}`}
          crumbs={[{ label: 'Transactions', to: `/tenants/${tx.tenant_id}/transactions` }]}
          actions={isActive(tx.state) && <Abort tx={tx} />}
        />
        <TransactionFacts details={details} />
        <TabLinks name="Transaction" base={`/transactions/${tx.id}`} tabs={tabs} />
        <ErrorBoundary resetKey={path}>
          <Outlet />
        </ErrorBoundary>
      </Stack>
    </TransactionContext>
  );
}

function TransactionFacts({ details }: { details: TransactionDetailsView }) {
  const { tx, state_ids } = details;
  const tags = Object.entries(tx.tags);
  return (
    <Facts
      facts={[
        ['Status', <TxStatus state={tx.state} />],
        ['Created', <Time value={tx.created_at} />],
        ['By', tx.created_by_name],
        ['Completed', tx.completed_at === undefined ? undefined : <Time value={tx.completed_at} />],
        ['Plan', <PlanSummary tx={tx} />],
        ['Id', <Id value={tx.id} />],
        [
          'States',
          state_ids.length === 0 ? undefined : <StateLinks ids={state_ids} names={tx.state_names} />,
        ],
        ['Tags', tags.length === 0 ? undefined : <Tags tags={tags} />],
      ]}
    />
  );
}

/** Names come in the order of the ids when both are complete; otherwise ids are shown. */
function StateLinks({ ids, names }: { ids: readonly string[]; names: readonly string[] }) {
  const isNamed = ids.length === names.length && ids.length === 1;
  return (
    <Group gap="xs">
      {ids.map((id, index) => (
        <PageLink key={id} to={`/states/${id}`}>
          <bdi>{isNamed ? names[index] : id.slice(0, 8)}</bdi>
        </PageLink>
      ))}
      {!isNamed && names.length > 0 && <bdi>({names.join(', ')})</bdi>}
    </Group>
  );
}

function Tags({ tags }: { tags: readonly (readonly [string, unknown])[] }) {
  return (
    <Group gap={4}>
      {tags.map(([name, value]) => (
        <Badge
          key={name}
          variant="outline"
          color="gray"
          tt="none"
          miw={0}
          c="var(--mantine-color-text)"
          maw="100%"
          title={`${name}=${textOf(value)}`}
        >
          <bdi>
            {name}={textOf(value)}
          </bdi>
        </Badge>
      ))}
    </Group>
  );
}

function Abort({ tx }: { tx: TransactionView }) {
  const dialog = useDialog();
  const queries = useQueryClient();
  const abort = useMutation(transactionsAbortMutation());
  const place = { tenantId: tx.tenant_id };
  const [mayPreview, mayCommit] = [
    useAllowed({ capability: 'preview', ...place }),
    useAllowed({ capability: 'commit', ...place }),
  ];
  if (!mayPreview && !mayCommit) return null;
  return (
    <>
      <Button variant="default" onClick={() => dialog.open(true)}>
        Abort
      </Button>
      <FormDialog
        title="Abort transaction"
        opened={dialog.subject !== undefined}
        onClose={dialog.close}
        confirm="Abort transaction"
        danger
        onConfirm={async () => {
          await abort.mutateAsync({ path: { txId: tx.id } });
          await queries.invalidateQueries();
        }}
      >
        <Text size="sm">Its plan is given up. What a runner has already applied stays as it is.</Text>
      </FormDialog>
    </>
  );
}
