import { Button, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  ApiFailure,
  type ClaimableInstallationView,
  claimsClaimMutation,
  claimsListClaimableOptions,
} from '../../platform/client';
import { FailureAlert } from '../../platform/errors';
import { type Column, DataTable } from '../../platform/table';

/** What the caller proved to administer a moment ago; nothing without such a proof. */
export function ClaimableInstallations({ tenantId }: { tenantId: string }) {
  const queries = useQueryClient();
  const claimable = useQuery({ ...claimsListClaimableOptions({ path: { tenantId } }), retry: false });
  const claim = useMutation({ ...claimsClaimMutation(), onSuccess: () => queries.invalidateQueries() });
  const columns: Column<ClaimableInstallationView>[] = [
    { header: 'Account', cell: ({ login }) => <bdi>{login}</bdi> },
    { header: 'Kind', cell: ({ target_type }) => target_type },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: ({ installation_core_id, login }) => (
        <Button
          size="compact-sm"
          loading={claim.isPending}
          aria-label={`Connect ${login}`}
          onClick={() => claim.mutate({ path: { tenantId }, body: { installation_core_id } })}
        >
          Connect
        </Button>
      ),
    },
  ];
  const { error } = claimable;
  const isUnproved = error instanceof ApiFailure && (error.status === 412 || error.status === 503);
  if (error && !isUnproved) return <FailureAlert failure={error} retry={() => void claimable.refetch()} />;
  if (!claimable.data || claimable.data.results.length === 0) return null;
  return (
    <>
      <Title order={2} size="h4" mb="xs">
        Ready to connect
      </Title>
      {claim.error && <FailureAlert failure={claim.error} />}
      <DataTable
        name="Ready to connect"
        rows={claimable.data.results}
        rowKey={({ installation_core_id }) => installation_core_id}
        columns={columns}
      />
    </>
  );
}
