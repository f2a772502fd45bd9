import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { allows, useGrants } from '../../platform/access';
import { tokensCreateServiceAccountMutation } from '../../platform/client';
import { FormDialog, STAYS } from '../../platform/dialogs';
import { useTenants } from '../../platform/tenant';
import { ShownOnce } from './new-key-dialog';

/** A user that is a program, with its first key. */
export function NewServiceAccountDialog({ onClose }: { onClose: () => void }) {
  const held = useGrants();
  const { tenants, tenant } = useTenants();
  const reachable = tenants.filter(({ id }) => allows(held, { capability: 'users-manage', tenantId: id }));
  const [name, setName] = useState('');
  const [tenantId, setTenantId] = useState(tenant?.id ?? '');
  const [token, setToken] = useState<string>();
  const queries = useQueryClient();
  const create = useMutation(tokensCreateServiceAccountMutation());
  if (token !== undefined) return <ShownOnce token={token} onClose={onClose} />;
  return (
    <FormDialog
      title="New service account"
      opened
      onClose={onClose}
      confirm="Create"
      disabled={name.trim() === '' || tenantId === ''}
      onConfirm={async () => {
        const made = await create.mutateAsync({ body: { name, tenant_id: tenantId } });
        setToken(made.token);
        await queries.invalidateQueries();
        return STAYS;
      }}
    >
      <Text size="sm">A service account belongs to one tenant, has no password and cannot sign in.</Text>
      <TextInput
        label="Name"
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label="Tenant"
        data={reachable.map(({ id, name: label }) => ({ value: id, label }))}
        value={tenantId}
        onChange={(event) => setTenantId(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
