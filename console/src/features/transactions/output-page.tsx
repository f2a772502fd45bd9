import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { first, useView } from '../../platform/address';
import { BY_PAGE_TOKEN, transactionsOutputInfiniteOptions } from '../../platform/client';
import { Answer, Empty } from '../../platform/errors';
import { CopyButton, plural } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { FilterField } from '../../platform/table';
import { parseAnsi, type Run } from './ansi';
import classes from './output-page.module.css';
import { FOLLOW_MS } from './transaction-frame';
import { isActive } from './statuses';
import { useTransactionOfPage } from './transaction-context';

/** Lines beyond this are cut at the front: a browser does not draw more in one go. */
const MOST_LINES = 20_000;

/** What a run printed, with its colors as text. */
export function OutputPage() {
  const { tx } = useTransactionOfPage();
  usePage('Output', tx.id.slice(0, 8));
  const query = useInfiniteQuery({
    ...transactionsOutputInfiniteOptions({ path: { txId: tx.id }, query: { limit: 1_000 } }),
    ...BY_PAGE_TOKEN,
    refetchInterval: isActive(tx.state) ? FOLLOW_MS : false,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, error } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage]);
  return (
    <Answer of={query}>
      {({ pages }) => {
        const fragments = pages.flatMap((page) => page.results).toSorted((a, b) => a.idx - b.idx);
        const text = fragments.map(({ data }) => data).join('');
        return text === '' ? (
          <Empty>No output. It appears when a run of this transaction prints something.</Empty>
        ) : (
          <Output text={text} failed={pages.some(({ payload }) => payload === 'run_failure')} />
        );
      }}
    </Answer>
  );
}

function Output({ text, failed }: { text: string; failed: boolean }) {
  const [view, setView] = useView<{ search?: string }>();
  const search = first(view.search) ?? '';
  const filter = useCallback((words: string) => setView({ search: words }), [setView]);
  const [isFollowing, setFollowing] = useState(false);
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
          {failed && ' · the run failed'}
        </Text>
      </Group>
      {cut > 0 && (
        <Text size="sm">The first {plural(cut, 'line')} are left out here; copy shows what follows.</Text>
      )}
      <pre className={classes.output} ref={scroller} tabIndex={0} aria-label="Output">
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
