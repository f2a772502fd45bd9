import { TabLinks } from '../../platform/page';
import { useEntries } from '../../platform/registry';

/** Links to the pages of one installation, those that other areas add among them. */
export function InstallationTabs({ vcs, installationId }: { vcs: string; installationId: string }) {
  const tabs = useEntries('installationTabs');
  const base = `/installations/${vcs}/${encodeURIComponent(installationId)}`;
  return <TabLinks name="Installation" base={base} tabs={tabs} />;
}
