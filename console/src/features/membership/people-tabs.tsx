import { TabLinks } from '../../platform/page';

/** Members, invitations and group rules belong together. */
export function PeopleTabs({ tenantId }: { tenantId: string }) {
  const tabs = [
    { label: 'Members', to: 'members' },
    { label: 'Invitations', to: 'invitations' },
    { label: 'Group rules', to: 'group-rules' },
  ];
  return <TabLinks name="People" base={`/tenants/${tenantId}`} tabs={tabs} />;
}
