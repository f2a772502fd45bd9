import { Code, Group, Stack, Text } from '@mantine/core';
import type { PullRequestOverviewView } from '../../platform/client';
import { CopyButton } from '../../platform/formats';
import { commandsFor } from './pull-request-commands.rules';

/** What to comment next. Plans and applies are asked for in the pull request: the code host knows who may. */
export function PullRequestCommands({ found }: { found: PullRequestOverviewView }) {
  const commands = commandsFor(found);
  if (commands.length === 0)
    return (
      <Text size="sm" c="dimmed">
        There is nothing to ask for: the pull request is closed, and holds nothing.
      </Text>
    );
  return (
    <Stack gap="xs">
      <Text size="sm">
        Write one of these as a comment in the pull request. Your permissions at the code host decide whether
        you may. To cancel a run, open the run.
      </Text>
      {commands.map(({ command, does }) => (
        <Group key={command} gap="sm">
          <Code>{command}</Code>
          <CopyButton text={command} label={`Copy ${command}`} />
          <Text size="sm">{does}</Text>
        </Group>
      ))}
    </Stack>
  );
}
