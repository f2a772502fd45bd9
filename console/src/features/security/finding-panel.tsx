import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAllowed } from '../../platform/access';
import { PageLink } from '../../platform/address';
import type { FindingView } from '../../platform/client';
import { SidePanel } from '../../platform/dialogs';
import { ErrorBoundary } from '../../platform/errors';
import { Facts, formatCount, Time } from '../../platform/formats';
import { Severity } from './severities';
import { WaiveDialog } from './waive-dialog';

interface FindingPanelProps {
  finding: FindingView;
  tenantId: string;
  onClose: () => void;
}

/** One finding: why it is that severe, what to do, where it stands, and how to accept it. */
export function FindingPanel({ finding, tenantId, onClose }: FindingPanelProps) {
  const [isWaiving, setWaiving] = useState(false);
  const mayWaive = useAllowed({ capability: 'admin', tenantId });
  const { suppression } = finding;
  return (
    <SidePanel title={`${finding.check_id}: ${finding.title}`} onClose={onClose}>
      <ErrorBoundary resetKey={finding.fingerprint}>
        <Stack gap="md">
          <Facts facts={factsOf(finding)} />
          {finding.remediation !== undefined && (
            <Part title="Remediation">
              <Text size="sm">{finding.remediation}</Text>
            </Part>
          )}
          {finding.internet_reachability_evidence !== undefined && (
            <Part title="Way from the internet">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                <bdi>{finding.internet_reachability_evidence}</bdi>
              </Text>
            </Part>
          )}
          {suppression && (
            <Part title="Waiver">
              <Text size="sm">
                <bdi>{suppression.reason}</bdi>
              </Text>
            </Part>
          )}
          <Group gap="sm">
            <PageLink
              to={`/states/${finding.state_id}/instances`}
              search={{ instance: finding.resource_fq_address }}
            >
              Open instance
            </PageLink>
            {finding.status === 'open' && mayWaive && (
              <Button variant="default" size="compact-sm" onClick={() => setWaiving(true)}>
                Waive
              </Button>
            )}
          </Group>
        </Stack>
      </ErrorBoundary>
      {isWaiving && (
        <WaiveDialog
          tenantId={tenantId}
          finding={finding}
          onClose={() => setWaiving(false)}
          onWaived={onClose}
        />
      )}
    </SidePanel>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={3} size="h6">
        {title}
      </Title>
      {children}
    </section>
  );
}

function factsOf(finding: FindingView): [string, ReactNode][] {
  const count = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : formatCount(value);
  const lines = [finding.source_start_line, finding.source_end_line].filter((line) => line !== undefined);
  return [
    ['Severity', <Severity name={finding.severity_effective} base={finding.severity_base} />],
    ['Reason', finding.severity_reason],
    ['Resource', <bdi style={{ overflowWrap: 'anywhere' }}>{finding.resource_fq_address}</bdi>],
    ['Category', finding.category],
    ['Also known as', finding.aliases.length === 0 ? undefined : finding.aliases.join(', ')],
    ['CIS', finding.cis],
    ['Depending resources', count(finding.blast_radius_resource_count)],
    ['In other states', count(finding.cross_state_refs)],
    [
      'Source',
      finding.source_file === undefined ? undefined : (
        <bdi>
          {finding.source_file}
          {lines.length > 0 && `:${lines.join('-')}`}
        </bdi>
      ),
    ],
    ['Status', finding.status],
    ['Found', finding.first_seen_at === undefined ? undefined : <Time value={finding.first_seen_at} />],
    ['Resolved', finding.resolved_at === undefined ? undefined : <Time value={finding.resolved_at} />],
  ];
}
