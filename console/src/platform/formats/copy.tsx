import { ActionIcon, Button, Code, Group, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { IconCheck, IconCopy } from '../icons';

const SHOWN_MS = 4_000;

/** Writes to the clipboard, also where the browser has no clipboard API (plain http). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // Inside an open dialog, or its focus trap would take the selection away.
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  host.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}

function useCopied(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copy = (): void =>
    void copyText(text).then((done) => {
      setCopied(done);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setCopied(false), SHOWN_MS);
    });
  return [copied, copy];
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, copy] = useCopied(text);
  return (
    <Button variant="default" size="xs" onClick={copy} leftSection={copied ? <IconCheck /> : <IconCopy />}>
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </Button>
  );
}

/** An id: its first characters, the whole on hover, and a button that copies it. */
export function Id({ value, short = true }: { value: string; short?: boolean }) {
  const [copied, copy] = useCopied(value);
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      <Code title={value}>{short ? value.slice(0, 8) : value}</Code>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        onClick={copy}
        aria-label={copied ? `Copied ${value}` : `Copy ${value}`}
      >
        {copied ? <IconCheck /> : <IconCopy />}
      </ActionIcon>
    </Group>
  );
}

/** A secret that is shown once, in a field of its own. */
export function OneTimeSecret({ label, value, hint }: { label: string; value: string; hint: string }) {
  return (
    <>
      <TextInput
        label={label}
        value={value}
        readOnly
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
        autoComplete="off"
      />
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      <CopyButton text={value} />
    </>
  );
}
