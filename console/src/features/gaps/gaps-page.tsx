import { Alert, Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAllowed } from '../../platform/access';
import { first, usePathId, useView } from '../../platform/address';
import { type GapConfigView, gapsShowConfigOptions } from '../../platform/client';
import { useDialog } from '../../platform/dialogs';
import { Answer, Empty } from '../../platform/errors';
import { Facts } from '../../platform/formats';
import { Page } from '../../platform/page';
import { useTenants } from '../../platform/tenant';
import { type Cloud, CLOUDS } from './clouds';
import { GapSettingsDialog } from './gap-settings-dialog';
import { GapResults } from './gap-results';
import { TrustPolicy } from './trust-policy';

const CLOUD_NAMES: Readonly<Record<Cloud, string>> = { aws: 'AWS', gcp: 'Google Cloud', azure: 'Azure' };
const STATUS_TEXTS: Readonly<Record<GapConfigView['status'], string>> = {
  ...{ not_configured: 'Not configured', partial: 'Partly set up' },
  ...{ ready: 'Ready', error: 'The cloud refuses or does not answer' },
};

/** Which resources of a cloud no state manages. */
export function GapsPage() {
  const tenantId = usePathId('tenantId');
  const { tenant } = useTenants();
  const [view, setView] = useView<{ provider?: string }>();
  const provider = CLOUDS.find((cloud) => cloud === first(view.provider)) ?? 'aws';
  const config = useQuery(gapsShowConfigOptions({ path: { tenantId }, query: { provider } }));
  return (
    <Page title="Gap analysis" object={tenant?.name}>
      <NativeSelect
        label="Cloud"
        maw="16rem"
        value={provider}
        data={CLOUDS.map((cloud) => ({ value: cloud, label: CLOUD_NAMES[cloud] }))}
        onChange={(event) => setView({ provider: event.currentTarget.value })}
      />
      <Answer of={config}>
        {(found) => (
          <Stack gap="lg" key={provider}>
            <Status config={found} tenantId={tenantId} provider={provider} />
            {found.status === 'not_configured' ? (
              <Empty>No cloud is configured here. An administrator of the tenant sets it up.</Empty>
            ) : (
              <GapResults tenantId={tenantId} provider={provider} isReady={found.ready_for_gap_analysis} />
            )}
          </Stack>
        )}
      </Answer>
    </Page>
  );
}

function Status({
  config,
  tenantId,
  provider,
}: {
  config: GapConfigView;
  tenantId: string;
  provider: Cloud;
}) {
  const mayConfigure = useAllowed({ capability: 'admin', tenantId });
  const dialog = useDialog();
  return (
    <Stack gap="sm" maw="60rem">
      <Facts
        facts={[
          ['Status', STATUS_TEXTS[config.status]],
          ['Role', config.role_arn],
          ['Scope', config.scope],
          ['Subscriptions', config.subscriptions?.join(', ')],
          ['Aggregator', config.aggregator_region ?? undefined],
          [
            'Indexed regions',
            config.indexed_regions.length > 0 ? config.indexed_regions.join(', ') : undefined,
          ],
        ]}
      />
      {config.warnings.map(({ code, message }) => (
        <Alert key={code} color="gray" variant="light">
          <Text size="sm">
            {message} <Code>{code}</Code>
          </Text>
        </Alert>
      ))}
      {mayConfigure && (
        <Group>
          <Button variant="default" onClick={() => dialog.open(true)}>
            Configure
          </Button>
        </Group>
      )}
      {mayConfigure && config.external_id !== undefined && config.role_arn === undefined && (
        <TrustPolicy externalId={config.external_id} />
      )}
      {dialog.subject && <GapSettingsDialog tenantId={tenantId} provider={provider} onClose={dialog.close} />}
    </Stack>
  );
}
