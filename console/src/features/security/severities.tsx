import { Badge, Group, Text } from '@mantine/core';
import type { SeverityBreakdownView } from '../../platform/client';
import { formatCount } from '../../platform/formats';

/** From the worst on; the service's names. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const;
export type SeverityName = (typeof SEVERITIES)[number];

const COLORS: Readonly<Record<SeverityName, string>> = {
  critical: 'red',
  high: 'orange',
  medium: 'yellow',
  low: 'gray',
  info: 'gray',
  unknown: 'gray',
};

/** A severity in words; the colour only repeats what the word says. */
export function Severity({ name, base }: { name: SeverityName; base?: SeverityName }) {
  return (
    <Group gap={6}>
      <Badge variant="light" color={COLORS[name]} c="var(--mantine-color-text)" radius="sm">
        {name}
      </Badge>
      {base !== undefined && base !== name && (
        <Text size="xs" component="span" style={{ whiteSpace: 'nowrap' }}>
          base {base}
        </Text>
      )}
    </Group>
  );
}

/** Counts of all severities that there are, the worst first. */
export function Breakdown({ of: counts }: { of: SeverityBreakdownView }) {
  const shown = SEVERITIES.filter((name) => counts[name] > 0);
  if (shown.length === 0) return <>–</>;
  return <>{shown.map((name) => `${formatCount(counts[name])} ${name}`).join(', ')}</>;
}
