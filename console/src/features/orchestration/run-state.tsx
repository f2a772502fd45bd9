import { Badge } from '@mantine/core';

const COLORS: Record<string, string> = {
  success: 'green',
  completed: 'green',
  failure: 'red',
  aborted: 'red',
  running: 'blue',
};

/** State of a run, a directory or a step. The word says it; the color only helps. */
export function RunState({ state }: { state: string }) {
  return (
    <Badge variant="outline" color={COLORS[state] ?? 'gray'} c="var(--mantine-color-text)">
      {state}
    </Badge>
  );
}
