import { Button, Group, Stack, Text } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import { isLosslessNumber, textOf } from '../../platform/client';
import { Empty } from '../../platform/errors';
import { plural, saveFile, toCsv } from '../../platform/formats';
import { type Column, DataTable } from '../../platform/table';
import { ValueTree } from '../../platform/values';
import type { QueryResult, Row } from './run-query';

const LONG_TEXT = 300;
const ONE_LINE = 48;

interface ResultsProps {
  result: QueryResult;
  isBusy: boolean;
  onPage: (page: string | undefined) => void;
}

interface Order {
  column: string;
  isDown: boolean;
}

/** Rows of a query, one page of them. What is typed into the editor renders none of them again. */
export const Results = memo(function Results({ result, isBusy, onPage }: ResultsProps) {
  const [order, setOrder] = useState<Order>();
  const rows = useMemo(() => sorted(result.rows, order), [result.rows, order]);
  const columns = useMemo(
    () =>
      result.columns.map((column): Column<Row> => ({
        header: column,
        cell: (row) => <Cell value={row[column]} />,
        sort: {
          direction: order?.column !== column ? 'none' : order.isDown ? 'descending' : 'ascending',
          toggle: () => setOrder((before) => nextOrder(before, column)),
        },
      })),
    [result.columns, order],
  );
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {plural(result.rows.length, 'row')}
          {result.cutAt !== undefined && `: cut by the default limit of ${result.cutAt}; add LIMIT for more`}
          {result.pagingHint !== undefined && ` · ${result.pagingHint}`}
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={result.previous === undefined || isBusy}
            onClick={() => onPage(result.previous)}
          >
            Previous page
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={result.next === undefined || isBusy}
            onClick={() => onPage(result.next)}
          >
            Next page
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => saveFile('results.csv', toCsv(result.columns, rows), 'text/csv')}
          >
            Download CSV
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => saveFile('results.json', result.text, 'application/json')}
          >
            Download JSON
          </Button>
        </Group>
      </Group>
      {result.rows.length === 0 ? (
        <Empty>The query has no rows.</Empty>
      ) : (
        <DataTable
          name="Results"
          columns={columns}
          rows={rows}
          rowKey={(_, index) => String(index)}
          isSideways
          isBusy={isBusy}
        />
      )}
    </Stack>
  );
});

/** Up, down, and as the rows came. */
function nextOrder(before: Order | undefined, column: string): Order | undefined {
  if (before?.column !== column) return { column, isDown: false };
  return before.isDown ? undefined : { column, isDown: true };
}

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined)
    return (
      <Text c="dimmed" size="sm" component="span">
        null
      </Text>
    );
  if (typeof value === 'object' && !isLosslessNumber(value)) return <Folded value={value} />;
  const text = textOf(value);
  if (text.length > LONG_TEXT) return <ValueTree value={text} />;
  return text.length > ONE_LINE ? <>{text}</> : <span style={{ whiteSpace: 'nowrap' }}>{text}</span>;
}

/** A JSON value that opens. */
function Folded({ value }: { value: object }) {
  const [isOpen, setOpen] = useState(false);
  const text = textOf(value);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text.length > 60 ? `${text.slice(0, 60)}…` : text}</summary>
      {isOpen && <ValueTree value={value} />}
    </details>
  );
}

function sorted(rows: readonly Row[], order: Order | undefined): Row[] {
  if (!order) return [...rows];
  const { column, isDown } = order;
  const ordered = rows.toSorted((a, b) => compare(a[column], b[column]));
  return isDown ? ordered.reverse() : ordered;
}

function compare(a: unknown, b: unknown): number {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  const [left, right] = [textOf(a), textOf(b)];
  const difference = Number(left) - Number(right);
  return Number.isNaN(difference) ? left.localeCompare(right, 'en', { numeric: true }) : difference;
}
