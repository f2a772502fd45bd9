import { Button, Group, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAllowed } from '../../platform/access';
import { usePathId } from '../../platform/address';
import { tenantsRenameMutation, type TenantView } from '../../platform/client';
import { FailureAlert, fieldFailure, NotFound, Waiting } from '../../platform/errors';
import { Facts, Id } from '../../platform/formats';
import { Page } from '../../platform/page';
import { useTenants } from '../../platform/tenant';

export function TenantSettingsPage() {
  const tenantId = usePathId('tenantId');
  const { tenants, isLoaded } = useTenants();
  const tenant = tenants.find(({ id }) => id === tenantId);
  const mayRename = useAllowed({ capability: 'admin', tenantId });
  if (!tenant) return isLoaded ? <NotFound what="This tenant was not found" /> : <Waiting />;
  return (
    <Page title="Tenant settings" object={tenant.name}>
      <Stack gap="lg" maw="40rem">
        <Facts
          facts={[
            ...(mayRename ? [] : [['Name', tenant.name] as const]),
            ['Id', <Id value={tenant.id} short={false} />],
          ]}
        />
        {mayRename && <Rename key={tenant.id} tenant={tenant} />}
      </Stack>
    </Page>
  );
}

function Rename({ tenant }: { tenant: TenantView }) {
  const [name, setName] = useState(tenant.name);
  const queries = useQueryClient();
  const rename = useMutation(tenantsRenameMutation());
  const save = async (): Promise<void> => {
    await rename.mutateAsync({ path: { tenantId: tenant.id }, body: { name } });
    await queries.invalidateQueries();
    notifications.show({ message: 'The tenant has a new name.' });
  };
  const beside = fieldFailure(rename.error, 'name');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save().catch(() => undefined);
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Name"
          w="min(26rem, 100%)"
          value={name}
          error={beside}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          loading={rename.isPending}
          disabled={name.trim() === '' || name === tenant.name}
        >
          Rename
        </Button>
      </Group>
      {beside === undefined && <FailureAlert failure={rename.error} />}
    </form>
  );
}
