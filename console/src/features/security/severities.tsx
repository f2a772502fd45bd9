import { Badge, Group, Text } from '@mantine/core';
import type { SeverityBreakdownView } from '../../platform/client';
import { formatCount } from '../../platform/formats';

/** From the worst on; the service's names. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const;
export type SeverityName = (typeof SEVERITIES)[number];

/** A severity in words; the colour only repeats what the word says. */
export function Severity({ name, base }: { name: SeverityName; base?: SeverityName }) {
  return (
    <Group gap={6} wrap="nowrap">
      <Badge variant={name === 'critical' || name === 'high' ? 'outline' : 'default'} radius="sm">
        {name}
      </Badge>
      {base !== undefined && base !== name && (
        <Text size="xs" component="span">
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
  return (
    <Group gap="sm" component="span" display="inline-flex">
      {shown.map((name) => (
        <span key={name}>
          {formatCount(counts[name])} {name}
        </span>
      ))}
    </Group>
  );
}
