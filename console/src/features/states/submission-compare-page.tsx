import { List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink, usePathId } from '../../platform/address';
import {
  AS_TEXT,
  lossless,
  stateVersionsSubmissionDiffOptions,
  type SubmissionConflictView,
} from '../../platform/client';
import { Answer } from '../../platform/errors';
import { usePage } from '../../platform/page';
import { Comparison } from './comparison';
import { useStateOfPage } from './state-context';
import { type ConflictingTransaction, conflictsByTransaction } from './submission-conflicts.rules';

const MOST = 50;

/** What the writer of a submission changed, and which transactions had changed the same meanwhile. */
export function SubmissionComparePage() {
  const state = useStateOfPage();
  usePage('Compare', state.name);
  const submissionId = usePathId('submissionId');
  const diff = useQuery(
    lossless(
      stateVersionsSubmissionDiffOptions({
        path: { stateId: state.id, submissionId },
        query: { limit: 1_000 },
        ...AS_TEXT,
      }),
    ),
  );
  return (
    <Stack gap="md">
      <Text size="sm">
        What the writer changed against the version that the write started from.{' '}
        <PageLink to={`/states/${state.id}/submissions`}>All submissions</PageLink>
      </Text>
      <Answer of={diff}>
        {(found) => (
          <>
            <Conflicts conflicts={found.conflicts} />
            <Comparison diff={found} />
          </>
        )}
      </Answer>
    </Stack>
  );
}

function Conflicts({ conflicts }: { conflicts: readonly SubmissionConflictView[] }) {
  if (conflicts.length === 0) return null;
  return (
    <section aria-label="Conflicts">
      <Title order={2} size="h5" mb={4}>
        Changed by others meanwhile
      </Title>
      {conflictsByTransaction(conflicts).map((one) => (
        <Conflict key={one.txId} conflict={one} />
      ))}
    </section>
  );
}

function Conflict({ conflict: { txId, names, isEverything } }: { conflict: ConflictingTransaction }) {
  return (
    <>
      <Text size="sm">
        Transaction <PageLink to={`/transactions/${txId}`}>{txId.slice(0, 8)}</PageLink>
        {isEverything ? ' replaced the whole document.' : ' changed:'}
      </Text>
      <List size="sm" mb="xs">
        {names.slice(0, MOST).map((name) => (
          <List.Item key={name}>
            <bdi>{name}</bdi>
          </List.Item>
        ))}
        {names.length > MOST && <List.Item>and {names.length - MOST} more</List.Item>}
      </List>
    </>
  );
}
