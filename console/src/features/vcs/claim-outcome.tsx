import { Alert } from '@mantine/core';

const OUTCOMES: Readonly<Record<string, string>> = {
  unavailable:
    'This server cannot prove who administers an installation: the client id and the client secret of the GitHub app are not configured.',
  not_member: 'Only administrators of this tenant can connect an installation to it.',
  error: 'GitHub refused the request or did not answer. Nothing was changed; connect again.',
};

/** Says in words how a claim failed; nothing when it did not. */
export function ClaimOutcome({ outcome }: { outcome: string | undefined }) {
  const text = outcome === undefined ? undefined : OUTCOMES[outcome];
  if (text === undefined) return null;
  return (
    <Alert color="red" variant="light" title="Not connected" role="alert" mb="md">
      {text}
    </Alert>
  );
}
