import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { FailureAlert } from '../../platform/errors';
import { saveFile } from '../../platform/formats';

interface DownloadProps {
  /** name of the file */
  file: string;
  /** reads the document as it is stored, without parsing it */
  read: () => Promise<{ data: unknown }>;
  label?: string;
  'aria-label'?: string;
  isSmall?: boolean;
}

/** Saves a document byte for byte. */
export function DownloadButton({ file, read, label = 'Download', isSmall = false, ...rest }: DownloadProps) {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const download = async (): Promise<void> => {
    setPending(true);
    setFailure(undefined);
    try {
      saveFile(file, (await read()).data as Blob);
    } catch (error) {
      setFailure(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size={isSmall ? 'compact-sm' : 'sm'}
        aria-label={rest['aria-label']}
        loading={isPending}
        onClick={() => void download()}
      >
        {label}
      </Button>
      <FailureAlert failure={failure} />
    </Group>
  );
}
