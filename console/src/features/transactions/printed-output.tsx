import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { first, useView } from '../../platform/address';
import { CopyButton, plural } from '../../platform/formats';
import { FilterField } from '../../platform/table';
import { parseAnsi, type Run } from './ansi';
import classes from './printed-output.module.css';

/** Lines beyond this are not drawn: only the last ones are. Search and copy use all of them. */
const MAX_DRAWN_LINES = 20_000;

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
  maxDrawnLines?: number;
}

/** What a program printed, with its colors as text, searched and followed. */
export function PrintedOutput({
  text,
  label,
  note,
  isLive = false,
  searchName = 'search',
  maxDrawnLines = MAX_DRAWN_LINES,
}: PrintedOutputProps) {
  const [view, setView] = useView();
  const search = first(view[searchName]) ?? '';
  const filter = useCallback((words: string) => setView({ [searchName]: words }), [setView, searchName]);
  const [isFollowing, setFollowing] = useState(isLive);
  const scroller = useRef<HTMLPreElement>(null);
  const lines = useMemo(() => linesOf(text), [text]);
  const all = useMemo(() => lines.map(plainText).join('\n'), [lines]);
  const shown =
    search === ''
      ? lines
      : lines.filter((line) => plainText(line).toLowerCase().includes(search.toLowerCase()));
  const left = Math.max(0, shown.length - maxDrawnLines);
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
        <CopyButton text={all} label="Copy all" />
        <Text size="sm" role="status">
          {search === ''
            ? plural(lines.length, 'line')
            : `${shown.length} of ${plural(lines.length, 'line')}`}
          {note !== undefined && ` · ${note}`}
        </Text>
      </Group>
      {left > 0 && (
        <Text size="sm">
          {plural(left, 'earlier line')} not shown here; “Copy all” copies the whole output.
        </Text>
      )}
      <pre
        className={classes.output}
        ref={scroller}
        tabIndex={0}
        role={isLive ? 'log' : 'region'}
        aria-label={label}
      >
        {shown.slice(left).map((line, index) => (
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

function linesOf(text: string): Run[][] {
  const lines: Run[][] = [[]];
  for (const run of parseAnsi(text)) {
    const [head = '', ...rest] = run.text.split('\n');
    if (head !== '') lines.at(-1)?.push({ ...run, text: head });
    for (const part of rest) lines.push(part === '' ? [] : [{ ...run, text: part }]);
  }
  return lines;
}
