import { FileInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  ApiFailure,
  parseLossless,
  stringifyLossless,
  tenantStatesImportMutation,
} from '../../platform/client';
import { FormDialog } from '../../platform/dialogs';

interface DialogProps {
  tenantId: string;
  opened: boolean;
  onClose: () => void;
}

/** Makes a state of a document that exists already, with every digit of its numbers. */
export function ImportDialog({ tenantId, opened, onClose }: DialogProps) {
  const [name, setName] = useState('');
  const [workspace, setWorkspace] = useState('default');
  const [file, setFile] = useState<File | null>(null);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const run = useMutation(tenantStatesImportMutation());
  return (
    <FormDialog
      title="Import a state"
      opened={opened}
      onClose={onClose}
      confirm="Import"
      disabled={name.trim() === '' || file === null}
      onConfirm={async () => {
        if (!file) return;
        const state = await run.mutateAsync({
          path: { tenantId },
          body: { name, workspace: workspace || undefined, state: await documentIn(file) },
          bodySerializer: stringifyLossless,
        });
        await queries.invalidateQueries();
        await navigate({ to: `/states/${state.id}` });
      }}
    >
      <Text size="sm">
        The file is what <code>terraform state pull</code> writes. Its serial and lineage are kept.
      </Text>
      <FileInput
        label="State document"
        accept=".tfstate,.json,application/json"
        placeholder="Choose a file"
        value={file}
        onChange={(chosen) => {
          setFile(chosen);
          if (chosen && name === '') setName(chosen.name.replace(/\.(?:tfstate|json)$/, ''));
        }}
      />
      <TextInput
        label="Name"
        required
        withAsterisk={false}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Workspace"
        autoComplete="off"
        value={workspace}
        onChange={(event) => setWorkspace(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

async function documentIn(file: File): Promise<Record<string, unknown>> {
  try {
    const parsed = parseLossless(await file.text());
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
  } catch {
    // Answered like every other file that is no document.
  }
  throw new ApiFailure(400, 'INVALID_FILE', 'The file must contain a state document: one JSON object.');
}
