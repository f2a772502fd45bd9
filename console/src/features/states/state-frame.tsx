import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { usePathId } from '../../platform/address';
import { objectWithId, statesGetOptions, type StateView } from '../../platform/client';
import { Answer, ErrorBoundary } from '../../platform/errors';
import { PageHeading, TabLinks } from '../../platform/page';
import { useEntries } from '../../platform/registry';
import { useTenantOf, useTenants } from '../../platform/tenant';
import { LockNotice } from './lock-notice';
import { StateContext } from './state-context';

const REFRESH_MS = 15_000;

/** What stands around every page of a state: its name, its lock and its tabs. */
export function StateFrame() {
  const stateId = usePathId('stateId');
  const state = useQuery({ ...statesGetOptions({ path: { stateId } }), refetchInterval: REFRESH_MS });
  return <Answer of={state}>{(found) => <LoadedFrame state={objectWithId(found, stateId)} />}</Answer>;
}

function LoadedFrame({ state }: { state: StateView }) {
  const path = useLocation({ select: (location) => location.pathname });
  const tabs = useEntries('stateTabs', { tenantId: state.tenant_id, stateId: state.id });
  const { tenants } = useTenants();
  useTenantOf(state.tenant_id);
  const tenant = tenants.find(({ id }) => id === state.tenant_id);
  const crumbs = [
    ...(tenant ? [{ label: tenant.name, to: `/tenants/${tenant.id}` }] : []),
    { label: 'States', to: `/tenants/${state.tenant_id}/states` },
  ];
  return (
    <StateContext value={state}>
      <Stack gap="md">
        <PageHeading title={state.name} crumbs={crumbs} />
        <LockNotice state={state} />
        <TabLinks name="State" base={`/states/${state.id}`} tabs={tabs} />
        <ErrorBoundary resetKey={path}>
          <Outlet />
        </ErrorBoundary>
      </Stack>
    </StateContext>
  );
}
