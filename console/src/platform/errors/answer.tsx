import { Group, Loader, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiFailure } from '../client';
import { plural } from '../formats/numbers';
import { FailureAlert } from './failure-alert';
import { NotFound } from './not-found';

/** What is used of a TanStack Query result. */
interface Asked<T> {
  data: T | undefined;
  error: unknown;
  failureReason?: unknown;
  refetch: () => unknown;
}

/** Shows waiting, failing, forbidden and unknown in words, and the data once it is there. */
export function Answer<T>({ of: asked, children }: { of: Asked<T>; children: (data: T) => ReactNode }) {
  const { data, error } = asked;
  // An object that is gone must not stay on the screen; a failed refresh of one that is there may.
  if (error instanceof ApiFailure && error.status === 404) return <NotFound what={error.message} />;
  if (data === undefined && error)
    return <FailureAlert failure={error} retry={isFinal(error) ? undefined : () => void asked.refetch()} />;
  if (data === undefined) return <Waiting reason={asked.failureReason} />;
  return (
    <>
      {error ? (
        <FailureAlert failure={error} retry={() => void asked.refetch()} title="Not up to date" />
      ) : null}
      {children(data)}
    </>
  );
}

function isFinal(error: unknown): boolean {
  return error instanceof ApiFailure && (error.status === 403 || error.status === 400);
}

/** Says that something is on its way, and why it takes longer. */
export function Waiting({ reason, label = 'Loading' }: { reason?: unknown; label?: string }) {
  return (
    <Stack align="center" p="xl" role="status" aria-busy="true" gap="xs">
      <Group gap="sm">
        <Loader size="sm" aria-hidden="true" />
        <Text size="sm">{label}…</Text>
      </Group>
      {reason instanceof ApiFailure && (
        <Text size="sm" c="dimmed">
          {reason.message}
          {reason.retryAfter === undefined
            ? ' Trying again.'
            : ` Trying again in ${plural(reason.retryAfter, 'second')}.`}
        </Text>
      )}
    </Stack>
  );
}

/** An empty list: what it would hold, and how to get there. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <Text c="dimmed" p="md" component="div">
      {children}
    </Text>
  );
}
