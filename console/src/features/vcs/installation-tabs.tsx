import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { tenantInstallationsListOptions } from '../../platform/client';
import { TabLinks } from '../../platform/page';
import { useEntries } from '../../platform/registry';
import { useTenants } from '../../platform/tenant';
import { providerOf } from './provider';

/** Which installation the page is about, and links to its other pages, those that other areas add among them. */
export function InstallationTabs({ vcs, installationId }: { vcs: string; installationId: string }) {
  const tabs = useEntries('installationTabs');
  const { tenant } = useTenants();
  const base = `/installations/${vcs}/${encodeURIComponent(installationId)}`;
  const provider = providerOf(vcs) ?? 'github';
  const installations = useQuery({
    ...tenantInstallationsListOptions({ path: { tenantId: tenant?.id ?? '' } }),
    enabled: tenant !== undefined,
  });
  const found = installations.data?.results?.find(
    (each) => each.provider === provider && each.installation_id === installationId,
  );
  return (
    <>
      <Text size="sm">
        {provider === 'gitlab' ? 'GitLab' : 'GitHub'} installation{' '}
        <bdi title={installationId}>{found?.name ?? installationId}</bdi>
        {tenant && (
          <>
            {' · '}
            <PageLink to={`/tenants/${tenant.id}/installations`}>All installations</PageLink>
          </>
        )}
      </Text>
      <TabLinks name="Installation" base={base} tabs={tabs} />
    </>
  );
}
