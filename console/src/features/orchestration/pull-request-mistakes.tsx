import { Alert, Stack, Text } from '@mantine/core';
import type { ConfigurationMistakeView } from '../../platform/client';
import { type Column, DataTable } from '../../platform/table';

/** Why nothing can be planned for the newest commit: where each mistake is, and what is wrong there. */
export function PullRequestMistakes({ mistakes }: { mistakes: ConfigurationMistakeView[] }) {
  if (mistakes.length === 0) return undefined;
  return (
    <Alert color="red" variant="light" title="The configuration cannot be used">
      <Stack gap="xs">
        <Text size="sm">Nothing is planned until it is corrected: push a commit with the correction.</Text>
        <DataTable
          name="Mistakes"
          columns={MISTAKE_COLUMNS}
          rows={mistakes}
          rowKey={(mistake) => JSON.stringify(mistake)}
        />
      </Stack>
    </Alert>
  );
}

const MISTAKE_COLUMNS: Column<ConfigurationMistakeView>[] = [
  {
    header: 'Where',
    cell: ({ file, line }) => <bdi>{file === undefined ? 'configuration' : `${file}:${line ?? 1}`}</bdi>,
  },
  { header: 'Key', cell: ({ key }) => <bdi>{key ?? ''}</bdi> },
  { header: 'Mistake', cell: ({ message }) => <bdi>{message}</bdi> },
];
