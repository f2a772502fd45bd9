import { TabLinks } from '../../platform/page';

/** What belongs to one installation. */
export function InstallationTabs({ vcs, installationId }: { vcs: string; installationId: string }) {
  const tabs = [
    { label: 'Repositories', to: 'repositories' },
    { label: 'Pull requests', to: 'pull-requests' },
    { label: 'Key-value store', to: 'kv' },
  ];
  return <TabLinks name="Installation" base={`/installations/${vcs}/${installationId}`} tabs={tabs} />;
}
