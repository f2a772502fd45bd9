import { SegmentedControl, Stack, Text, Title, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAllowed, useFlags, useUser } from '../../platform/access';
import { PageLink } from '../../platform/address';
import { EDITION, serverVersionOptions } from '../../platform/client';
import { Answer, ErrorBoundary } from '../../platform/errors';
import { Facts } from '../../platform/formats';
import { Page } from '../../platform/page';
import { useTenants } from '../../platform/tenant';
import { DefaultCapabilities } from './default-capabilities';
import { NewTenant } from './new-tenant';
import { OwnName } from './own-name';
import { OwnPassword } from './own-password';

const ORIGINS: Readonly<Record<string, string>> = {
  local: 'a password',
  oidc: 'single sign-on',
  google: 'Google',
};

/** One's own account, the look of the console, and for administrators the installation. */
export function SettingsPage() {
  const user = useUser();
  const { tenant } = useTenants();
  const isAdmin = useAllowed({ capability: 'admin' });
  const mayManage = useAllowed({ capability: 'users-manage', anywhere: true });
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Page title="Settings">
      <Stack gap="xl" maw="40rem">
        <Section title="Account">
          <Facts
            facts={[
              ...(mayManage ? [] : [['Name', user.name] as const]),
              ['Email', user.email],
              ['Signs in with', ORIGINS[user.auth_origin ?? ''] ?? user.auth_origin],
            ]}
          />
          {mayManage && <OwnName />}
        </Section>
        {(user.auth_origin ?? 'local') === 'local' && (
          <Section title="Password">
            <OwnPassword />
          </Section>
        )}
        <Section title="Appearance">
          <SegmentedControl
            aria-label="Color scheme of the console"
            value={colorScheme}
            onChange={(value) => setColorScheme(value)}
            data={[
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
              { value: 'auto', label: 'Auto' },
            ]}
          />
        </Section>
        {tenant && (
          <Section title="Tenant">
            <Text size="sm">
              <PageLink to={`/tenants/${tenant.id}/settings`}>
                Settings of <bdi>{tenant.name}</bdi>
              </PageLink>
            </Text>
            {isAdmin && <NewTenant />}
          </Section>
        )}
        {!tenant && isAdmin && (
          <Section title="Tenant">
            <NewTenant />
          </Section>
        )}
        {isAdmin && (
          <Section title="Default capabilities">
            <DefaultCapabilities />
          </Section>
        )}
        <Section title="Server">
          <ServerFacts />
        </Section>
      </Stack>
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" gap="sm" align="flex-start" aria-label={title}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <ErrorBoundary>{children}</ErrorBoundary>
    </Stack>
  );
}

function ServerFacts() {
  const version = useQuery({ ...serverVersionOptions(), staleTime: Infinity });
  const flags = useFlags();
  return (
    <Answer of={version}>
      {(found) => (
        <Facts
          facts={[
            ['Version', found.version],
            ['Edition', EDITION],
            ['State schema version', String(found.state_schema_version)],
            ['Costs', onOff(flags.costs)],
            ['Security scanning', onOff(flags.security)],
            ['Dedicated instances', onOff(flags.dedicated)],
          ]}
        />
      )}
    </Answer>
  );
}

function onOff(flag: boolean): string {
  return flag ? 'on' : 'off';
}
