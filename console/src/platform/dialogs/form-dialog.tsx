import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FailureAlert } from '../errors';
import { useUnsaved } from '../unsaved';
import { useReturnedFocus } from './use-returned-focus';

/** What `onConfirm` answers when something is shown in place of the form, such as a secret. */
export const STAYS = Symbol('the dialog stays');

interface FormDialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** name of the confirming button; it carries the name of the action */
  confirm: string;
  /** the dialog closes when it resolves, unless with STAYS; a refusal is shown and what was typed stays */
  onConfirm: () => Promise<unknown>;
  danger?: boolean;
  disabled?: boolean;
  /** refusals that are shown beside a field, and not once more below */
  isShown?: (failure: unknown) => boolean;
  onFailure?: (failure: unknown) => void;
  children: ReactNode;
}

/** A dialog with fields that changes something; also the question before something is destroyed. */
export function FormDialog(props: FormDialogProps) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
    >
      <DialogForm {...props} />
    </Modal>
  );
}

function DialogForm({
  confirm,
  onConfirm,
  onClose,
  danger,
  disabled,
  isShown,
  onFailure,
  children,
}: FormDialogProps) {
  const [isPending, setPending] = useState(false);
  const [isDirty, setDirty] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  useUnsaved(isDirty && !isPending);
  useReturnedFocus();
  const submit = async (): Promise<void> => {
    setPending(true);
    setFailure(undefined);
    onFailure?.(undefined);
    try {
      if ((await onConfirm()) !== STAYS) onClose();
    } catch (error) {
      setFailure(error);
      onFailure?.(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <form
      onInput={() => setDirty(true)}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending && !disabled) void submit();
      }}
    >
      <Stack gap="sm">
        {children}
        {failure !== undefined && !isShown?.(failure) && <FailureAlert failure={failure} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} type="button">
            Cancel
          </Button>
          <Button type="submit" color={danger ? 'red' : undefined} loading={isPending} disabled={disabled}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
