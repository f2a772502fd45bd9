import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAllowed } from '../../platform/access';
import { first, OutsideLink, PageLink, usePathId, useView } from '../../platform/address';
import {
  type ClaimsStartData,
  client,
  serverCapabilitiesOptions,
  serverConfigOptions,
  type TenantInstallationView,
  tenantInstallationsListOptions,
  tenantInstallationsUnlinkMutation,
} from '../../platform/client';
import { FormDialog, useDialog } from '../../platform/dialogs';
import { Answer, Empty } from '../../platform/errors';
import { Time } from '../../platform/formats';
import { Page } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { useTenants } from '../../platform/tenant';
import { ClaimOutcome } from './claim-outcome';
import { ClaimableInstallations } from './claimable-installations';
import { ConnectGroupDialog } from './connect-group-dialog';
import { ReplaceTokenDialog } from './replace-token-dialog';

/** Code hosts that are connected to a tenant, and how to connect one. */
export function InstallationsPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const [view] = useView<{ github_claim?: string | string[]; proved?: string | string[] }>();
  const mayConnect = useAllowed({ capability: 'admin', tenantId });
  const installations = useQuery(tenantInstallationsListOptions({ path: { tenantId } }));
  const outcome = first(view.github_claim);
  const isHostless = useHostless();
  const connecting = useDialog();
  const unlinking = useDialog<TenantInstallationView>();
  const replacing = useDialog<TenantInstallationView>();
  const columns: Column<TenantInstallationView>[] = [
    {
      header: 'Name',
      cell: ({ provider, installation_id, name }) => (
        <PageLink to={`/installations/${provider}/${installation_id}/repositories`}>
          <bdi>{name}</bdi>
        </PageLink>
      ),
    },
    { header: 'Provider', cell: ({ provider }) => (provider === 'github' ? 'GitHub' : 'GitLab') },
    {
      header: 'State',
      cell: ({ state }) => (
        <Badge variant="outline" color="gray" c="var(--mantine-color-text)">
          {state}
        </Badge>
      ),
    },
    { header: 'Linked', isWide: true, cell: ({ linked_at }) => linked_at && <Time value={linked_at} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      cell: (installation) =>
        mayConnect && (
          <Group gap="xs" wrap="nowrap">
            {installation.provider === 'gitlab' && (
              <Button size="compact-sm" variant="default" onClick={() => replacing.open(installation)}>
                Replace token
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={() => unlinking.open(installation)}>
              Unlink
            </Button>
          </Group>
        ),
    },
  ];
  return (
    <Page
      title="Installations"
      object={tenant?.name}
      actions={
        mayConnect && (
          <Group gap="xs">
            <Button disabled={isHostless} onClick={() => window.location.assign(claimAddress(tenantId))}>
              Connect GitHub
            </Button>
            <Button variant="default" onClick={() => connecting.open(true)}>
              Connect a GitLab group
            </Button>
          </Group>
        )
      }
    >
      {mayConnect && isHostless && (
        <Alert
          color="yellow"
          variant="light"
          title="Code hosting is switched off, or no app is configured"
          role="alert"
        >
          Set SERVICE_ORCHESTRATION_ENABLED=true and restart the service. Connecting GitHub also needs the
          client id and the client secret of a GitHub app.
        </Alert>
      )}
      <ClaimOutcome outcome={outcome} />
      {mayConnect && first(view.proved) === 'yes' && outcome === undefined && (
        <ClaimableInstallations tenantId={tenantId} />
      )}
      <Answer of={installations}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty>
              No installations. An installation connects a GitHub organization or a GitLab group to this
              tenant, so that its pull requests can be planned and applied. <InstallApp />
            </Empty>
          ) : (
            <DataTable
              name="Installations"
              rows={results}
              rowKey={({ installation_core_id }) => installation_core_id}
              columns={columns}
            />
          )
        }
      </Answer>
      {mayConnect && (
        <Text size="sm" mt="md">
          <PageLink to={`/tenants/${tenantId}/installations/deliveries`}>Webhook deliveries</PageLink>
        </Text>
      )}
      {connecting.subject && <ConnectGroupDialog tenantId={tenantId} onClose={connecting.close} />}
      {replacing.subject && (
        <ReplaceTokenDialog tenantId={tenantId} installation={replacing.subject} onClose={replacing.close} />
      )}
      {unlinking.subject && (
        <UnlinkDialog tenantId={tenantId} installation={unlinking.subject} onClose={unlinking.close} />
      )}
    </Page>
  );
}

/**
 * Whether nobody can sign in to a code host: orchestration is off, or no app is configured (a GitLab group can be
 * connected without one).
 */
function useHostless(): boolean {
  const { data } = useQuery({ ...serverConfigOptions(), staleTime: Infinity });
  return data !== undefined && data.github === undefined && data.gitlab === undefined;
}

/**
 * The browser goes there itself: the provider sends it back to this page. `proved` says that it comes from there: only
 * then there may be a proof, which the page itself cannot see.
 */
function claimAddress(tenantId: string): string {
  const url: ClaimsStartData['url'] = '/api/v1/tenants/{tenantId}/vcs-installations/github/claim/start';
  return client.buildUrl({
    url,
    path: { tenantId },
    query: { rd: `${window.location.pathname}?proved=yes` },
  });
}

function InstallApp() {
  const { data } = useQuery({ ...serverCapabilitiesOptions(), staleTime: Infinity });
  if (data?.app_url === undefined) return null;
  return (
    <>
      On GitHub, <OutsideLink href={data.app_url}>install the app</OutsideLink> first.
    </>
  );
}

function UnlinkDialog({
  tenantId,
  installation: { provider, installation_core_id, name },
  onClose,
}: {
  tenantId: string;
  installation: TenantInstallationView;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const unlink = useMutation(tenantInstallationsUnlinkMutation());
  return (
    <FormDialog
      title="Unlink"
      opened
      onClose={onClose}
      confirm="Unlink"
      danger
      onConfirm={async () => {
        await unlink.mutateAsync({ path: { tenantId, provider, installationCoreId: installation_core_id } });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        Runs of <bdi>{name}</bdi> that wait are ended, and its pull requests are no longer planned. Its
        records stay.
        {provider === 'gitlab' && ' Its access token and its webhook secret are deleted.'}
      </Text>
    </FormDialog>
  );
}
