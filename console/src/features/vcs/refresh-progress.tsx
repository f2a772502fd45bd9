import { Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { tasksGetOptions } from '../../platform/client';
import { FailureAlert } from '../../platform/errors';

const POLL_MS = 2_000;
const ENDED = new Set(['completed', 'failed', 'aborted']);

/** Follows a refresh until it has ended, then shows the list anew. `onEnd` is told why it failed. */
export function RefreshProgress({ taskId, onEnd }: { taskId: string; onEnd: (failure?: string) => void }) {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    ...tasksGetOptions({ path: { taskId } }),
    refetchInterval: ({ state }) => (ENDED.has(state.data?.state ?? '') ? false : POLL_MS),
  });
  const isDone = data?.state === 'completed';
  useEffect(() => {
    if (isDone) void queries.invalidateQueries().then(() => onEnd());
  }, [isDone, queries, onEnd]);
  const failure =
    data?.state === 'failed' || data?.state === 'aborted' ? (data.error ?? data.state) : undefined;
  useEffect(() => {
    if (failure !== undefined) onEnd(failure);
  }, [failure, onEnd]);
  if (error) return <FailureAlert failure={error} />;
  const { done = 0, total = 0 } = data?.progress ?? {};
  return (
    <>
      <Text size="sm" role="status">
        Reading repositories{total > 0 ? `: page ${done} of ${total}` : '…'}
      </Text>
      <Progress value={total > 0 ? (100 * done) / total : 5} aria-label="Refresh" mb="md" />
    </>
  );
}
