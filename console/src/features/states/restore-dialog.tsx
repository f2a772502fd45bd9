import { Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import {
  AS_TEXT,
  lossless,
  stateVersionsDiffOptions,
  stateVersionsRestoreMutation,
  type StateVersionView,
  type StateView,
} from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';
import { Answer } from '../../platform/errors';
import { Comparison } from './comparison';

interface RestoreProps {
  state: StateView;
  version: StateVersionView;
  onClose: () => void;
}

/** Shows what restoring a version changes, then writes it as a new version. */
export function RestoreDialog({ state, version, onClose }: RestoreProps) {
  const queries = useQueryClient();
  const restore = useMutation(stateVersionsRestoreMutation());
  const path = { stateId: state.id, from: String(state.serial), to: String(version.serial) };
  const diff = useQuery(lossless(stateVersionsDiffOptions({ path, ...AS_TEXT })));
  return (
    <FormDialog
      title={`Restore version ${version.version}`}
      opened
      onClose={onClose}
      confirm="Restore"
      danger
      onConfirm={async () => {
        const written = await restore.mutateAsync({
          path: { stateId: state.id, serial: String(version.serial) },
        });
        notifications.show({
          message: `Version ${version.version} was restored as version ${written.version}.`,
        });
        await queries.invalidateQueries();
      }}
    >
      <Text size="sm">
        The document of version {version.version} is written as a new version. No infrastructure changes; the
        next plan of a configuration compares with it.
      </Text>
      <Stack gap="xs">
        <Answer of={diff}>{(found) => <Comparison diff={found} />}</Answer>
      </Stack>
    </FormDialog>
  );
}
