import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useReturnedFocus } from './use-returned-focus';

interface SecretDialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Shows something once. A click beside it closes nothing. */
export function SecretDialog({ title, onClose, children }: SecretDialogProps) {
  useReturnedFocus();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
    >
      <Stack gap="sm" align="stretch">
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
