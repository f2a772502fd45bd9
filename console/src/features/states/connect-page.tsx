import { Code, List, Stack, Text, Title } from '@mantine/core';
import { PageLink } from '../../platform/address';
import { SERVICE_ADDRESS, type TenantView } from '../../platform/client';
import { CopyButton } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { useTenants } from '../../platform/tenant';
import { backendBlock, clientCommands, credentialLines, remoteStateBlock } from './connect.rules';
import { backendAddress } from './backend-address';
import { useStateOfPage } from './state-context';

/** How a configuration, a reader and the command-line client use this state. */
export function ConnectPage() {
  const state = useStateOfPage();
  usePage('Connect', state.name);
  const { tenants } = useTenants();
  const address = backendAddress(state);
  return (
    <Stack gap="xl" maw="52rem">
      <Snippet
        title="Terraform and OpenTofu"
        text={backendBlock(address)}
        hint="Put this into the configuration, then run terraform init (or tofu init)."
      />
      <section>
        <Snippet
          title="The key"
          text={credentialLines()}
          hint="Terraform reads the key from the environment. The user name tells the runs of one key apart: run-$CI_JOB_ID in CI, and the process id of the shell on your machine."
        />
        <Text size="sm" mt="xs">
          Keys are made under <PageLink to="/keys">API keys</PageLink>. A key that may only{' '}
          <Code>commit</Code> on this state is enough; give each job its own.
        </Text>
      </section>
      <Snippet
        title="Read outputs from another configuration"
        text={remoteStateBlock(address)}
        hint="Outputs are then data.terraform_remote_state.this.outputs.<name>; the dependency between both states is part of the graph."
      />
      <Snippet
        title="Plan and apply beside others"
        text={clientCommands({
          state: state.name,
          service: SERVICE_ADDRESS,
          tenant: tenantWord(tenants, state.tenant_id),
        })}
        hint="The command-line client plans only what changed, at the same time as others."
      />
      <List size="sm">
        <List.Item>A lock is optional: what conflicts is decided instance by instance.</List.Item>
        <List.Item>
          Other workspaces are other states: the last part of the address is the workspace.
        </List.Item>
      </List>
    </Stack>
  );
}

/** The name where it tells the tenant from the others of the caller, else the id. */
function tenantWord(tenants: readonly TenantView[], tenantId: string): string {
  const name = tenants.find(({ id }) => id === tenantId)?.name;
  const isOnly = tenants.filter((tenant) => tenant.name === name).length === 1;
  return name !== undefined && isOnly ? name : tenantId;
}

function Snippet({ title, text, hint }: { title: string; text: string; hint: string }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h4" mb={4}>
        {title}
      </Title>
      <Text size="sm" mb="xs">
        {hint}
      </Text>
      <Code block mb="xs" tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton text={text} />
    </section>
  );
}
