import { Text } from '@mantine/core';
import { PageLink } from '../../platform/address';
import { TabLinks } from '../../platform/page';
import { useEntries } from '../../platform/registry';
import { useTenants } from '../../platform/tenant';
import { providerOf } from './provider';

/** Which installation the page is about, and links to its other pages, those that other areas add among them. */
export function InstallationTabs({ vcs, installationId }: { vcs: string; installationId: string }) {
  const tabs = useEntries('installationTabs');
  const { tenant } = useTenants();
  const base = `/installations/${vcs}/${encodeURIComponent(installationId)}`;
  const provider = providerOf(vcs) === 'gitlab' ? 'GitLab' : 'GitHub';
  return (
    <>
      <Text size="sm">
        {provider} installation <bdi>{installationId}</bdi>
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
