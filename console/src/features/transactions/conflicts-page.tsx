import { List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { type ConflictView, transactionConflictsListOptions } from '../../platform/client';
import { Answer, Empty } from '../../platform/errors';
import { plural, Time } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { isActive } from './statuses';
import { useTransactionOfPage } from './transaction-context';
import { FOLLOW_MS } from './transaction-frame';

const MOST = 50;

/** What a commit at this moment would be refused for, in words. */
export function ConflictsPage() {
  const { tx } = useTransactionOfPage();
  usePage('Conflicts', tx.id.slice(0, 8));
  const conflicts = useQuery({
    ...transactionConflictsListOptions({ path: { txId: tx.id } }),
    refetchInterval: isActive(tx.state) ? FOLLOW_MS : false,
  });
  return (
    <Answer of={conflicts}>
      {({ results }) =>
        results.length === 0 ? (
          <Empty>
            {isActive(tx.state)
              ? 'No conflicts. A commit at this moment would not be refused for what others changed.'
              : 'No conflicts: this transaction has ended.'}
          </Empty>
        ) : (
          <Stack gap="md">
            <Text>
              {plural(results.length, 'transaction')} changed the same instances since this one was planned.
              Plan again, which starts from what they wrote; then commit.
            </Text>
            {results.map((conflict) => (
              <Conflict key={conflict.tx_id} conflict={conflict} />
            ))}
          </Stack>
        )
      }
    </Answer>
  );
}

function Conflict({ conflict }: { conflict: ConflictView }) {
  return (
    <section>
      <Title order={2} size="h5">
        <PageLink to={`/transactions/${conflict.tx_id}`}>{conflict.tx_id.slice(0, 8)}</PageLink>
        {' of '}
        <bdi>{conflict.created_by_name ?? 'somebody'}</bdi>
        {conflict.completed_at !== undefined && (
          <>
            , <Time value={conflict.completed_at} />
          </>
        )}
      </Title>
      {conflict.states.map((state) => (
        <div key={state.state_id}>
          <Text size="sm">
            In{' '}
            <PageLink to={`/states/${state.state_id}`}>
              <bdi>{state.state_name}</bdi>
            </PageLink>
            :
          </Text>
          <List size="sm">
            {[...state.addresses, ...state.outputs.map((name) => `output.${name}`)]
              .slice(0, MOST)
              .map((name) => (
                <List.Item key={name}>
                  <bdi>{name}</bdi>
                </List.Item>
              ))}
          </List>
          {state.addresses.length > MOST && <Text size="sm">and {state.addresses.length - MOST} more</Text>}
        </div>
      ))}
    </section>
  );
}
