import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { first, useView } from '../../platform/address';
import { CopyButton, plural } from '../../platform/formats';
import { FilterField } from '../../platform/table';
import { parseAnsi, type Run } from './ansi';
import classes from './printed-output.module.css';

/** Lines beyond this are cut at the front: a browser does not draw more in one go. */
const MOST_LINES = 20_000;

interface PrintedOutputProps {
  text: string;
  /** accessible name of the text */
  label: string;
  /** said behind the number of lines */
  note?: string | undefined;
  /** whether the end is kept in view from the beginning, and new lines are announced */
  isLive?: boolean;
  /** name under which the search is kept in the address; two outputs of one page have two */
  searchName?: string;
}

/** What a program printed, with its colors as text, searched and followed. */
export function PrintedOutput({
  text,
  label,
  note,
  isLive = false,
  searchName = 'search',
}: PrintedOutputProps) {
  const [view, setView] = useView();
  const search = first(view[searchName]) ?? '';
  const filter = useCallback((words: string) => setView({ [searchName]: words }), [setView, searchName]);
  const [isFollowing, setFollowing] = useState(isLive);
  const scroller = useRef<HTMLPreElement>(null);
  const { lines, cut } = useMemo(() => linesOf(text), [text]);
  const shown =
    search === ''
      ? lines
      : lines.filter((line) => plainText(line).toLowerCase().includes(search.toLowerCase()));
  useEffect(() => {
    if (isFollowing) scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [isFollowing, text]);
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <FilterField value={search} onFilter={filter} placeholder="Show lines with" />
        <Checkbox
          label="Follow"
          checked={isFollowing}
          onChange={(event) => setFollowing(event.currentTarget.checked)}
        />
        <CopyButton text={lines.map(plainText).join('\n')} label="Copy all" />
        <Text size="sm" role="status">
          {search === ''
            ? plural(lines.length, 'line')
            : `${shown.length} of ${plural(lines.length, 'line')}`}
          {note !== undefined && ` · ${note}`}
        </Text>
      </Group>
      {cut > 0 && (
        <Text size="sm">The first {plural(cut, 'line')} are left out here; copy shows what follows.</Text>
      )}
      <pre
        className={classes.output}
        ref={scroller}
        tabIndex={0}
        role={isLive ? 'log' : 'region'}
        aria-label={label}
      >
        {shown.map((line, index) => (
          <div key={index}>
            {line.length === 0 ? '\n' : line.map((run, at) => <Span key={at} run={run} />)}
          </div>
        ))}
      </pre>
    </Stack>
  );
}

function Span({ run }: { run: Run }) {
  return (
    <span data-color={run.color} data-bold={run.isBold || undefined}>
      {run.text}
    </span>
  );
}

function plainText(line: readonly Run[]): string {
  return line.map((run) => run.text).join('');
}

function linesOf(text: string): { lines: Run[][]; cut: number } {
  const lines: Run[][] = [[]];
  for (const run of parseAnsi(text)) {
    const [head = '', ...rest] = run.text.split('\n');
    if (head !== '') lines.at(-1)?.push({ ...run, text: head });
    for (const part of rest) lines.push(part === '' ? [] : [{ ...run, text: part }]);
  }
  const cut = Math.max(0, lines.length - MOST_LINES);
  return { lines: lines.slice(cut), cut };
}
