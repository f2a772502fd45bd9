import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** left out on screens narrower than 768 px */
  isWide?: boolean;
  /** right-aligned numbers */
  isNumber?: boolean;
  /** shown in place of the header for a column of buttons */
  isHeaderHidden?: boolean;
  sort?: SortControl;
}

export interface SortControl {
  direction: 'ascending' | 'descending' | 'none';
  toggle: () => void;
}

interface DataTableProps<Row> {
  /** accessible name: what is listed */
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  /** asked for when the end of the rows comes near */
  onEnd?: () => void;
  /** rows there are in all, when that is known */
  total?: number;
  isSelected?: (row: Row) => boolean;
  isBusy?: boolean;
  /** many columns: the table scrolls sideways in its frame */
  isSideways?: boolean;
  /** place to come back to, such as the address of the page */
  scrollKey?: string;
}

/** More rows than this are drawn only where they can be seen. */
const PLAIN_ROWS = 60;
const ROW_HEIGHT = 41;
/** The first row that was seen, and pixels of it above the edge: other rows are measured anew. */
const remembered = new Map<string, { index: number; above: number }>();

/** Tables that were shown so far. */
let tables = 0;

/** A table of any length: at most some dozen rows are in the document. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, name, columns } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // The router restores pixels of an element that it finds again, which are those of other rows.
  const [restorationId] = useState(() => `table-${(tables += 1)}`);
  const { isVirtual, indexes, before, after, measure } = useVisibleRows(props, scroller);
  return (
    <div
      ref={scroller}
      className={classes.scroller}
      data-scroll-restoration-id={restorationId}
      data-virtual={isVirtual || undefined}
      data-sideways={props.isSideways || undefined}
      {...(isVirtual || props.isSideways ? scrollableProps(name) : {})}
    >
      <table
        className={classes.table}
        aria-label={name}
        aria-rowcount={isVirtual ? rowCount(props) : undefined}
        aria-busy={props.isBusy || undefined}
      >
        <thead>
          <tr aria-rowindex={isVirtual ? 1 : undefined}>
            {columns.map((column) => (
              <HeaderCell key={column.header} column={column as Column<unknown>} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Spacer height={before} columns={columns.length} />}
          {indexes.map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <DrawnRow
                key={props.rowKey(row, index)}
                row={row}
                index={index}
                columns={columns}
                measure={measure}
                isSelected={props.isSelected?.(row) ?? false}
              />
            );
          })}
          {after > 0 && <Spacer height={after} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

interface DrawnRowProps<Row> {
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  /** of a virtual table */
  measure: VisibleRows['measure'];
  isSelected: boolean;
}

function PlainRow<Row>({ row, index, columns, measure, isSelected }: DrawnRowProps<Row>) {
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={measure ? index + 2 : undefined}
      data-selected={isSelected || undefined}
    >
      {columns.map((column) => (
        <td
          key={column.header}
          data-wide={column.isWide || undefined}
          data-number={column.isNumber || undefined}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** While one scrolls only the rows that come into view are rendered. */
const DrawnRow = memo(PlainRow) as typeof PlainRow;

interface VisibleRows {
  isVirtual: boolean;
  /** of the rows that are drawn */
  indexes: number[];
  /** pixels that the rows above and below would take */
  before: number;
  after: number;
  /** set for a virtual table: told of each drawn row */
  measure?: (row: HTMLTableRowElement | null) => void;
}

/** Which rows are drawn. Asks for more when the last ones are, and remembers how far was scrolled. */
function useVisibleRows<Row>(
  { rows, onEnd, scrollKey }: DataTableProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
): VisibleRows {
  const isVirtual = rows.length > PLAIN_ROWS || (onEnd !== undefined && rows.length > 0);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    enabled: isVirtual,
    initialOffset: () => {
      const { index, above } = remembered.get(scrollKey ?? '') ?? { index: 0, above: 0 };
      return index * ROW_HEIGHT + above;
    },
    onChange: (instance) => {
      const offset = instance.scrollOffset ?? 0;
      const first = instance.getVirtualItemForOffset(offset);
      if (scrollKey !== undefined && first)
        remembered.set(scrollKey, { index: first.index, above: offset - first.start });
    },
  });
  const items = isVirtual ? virtualizer.getVirtualItems() : [];
  const last = items.at(-1)?.index;
  useEffect(() => {
    if (onEnd && last !== undefined && last >= rows.length - 20) onEnd();
  }, [last, rows.length, onEnd]);
  if (!isVirtual) return { isVirtual, indexes: rows.map((_, index) => index), before: 0, after: 0 };
  return {
    isVirtual,
    indexes: items.map((item) => item.index),
    before: items[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0),
    measure: virtualizer.measureElement,
  };
}

/** Only what scrolls is a stop of the keyboard. */
function scrollableProps(name: string) {
  return { tabIndex: 0, role: 'group', 'aria-label': `${name}, scrollable` };
}

/** Of all rows with the header; -1 when nobody knows how many there are. */
function rowCount<Row>({ rows, total, onEnd }: DataTableProps<Row>): number {
  const count = total ?? (onEnd ? -1 : rows.length);
  return count < 0 ? -1 : count + 1;
}

function HeaderCell({ column }: { column: Column<unknown> }) {
  const { header, sort } = column;
  return (
    <th
      scope="col"
      data-wide={column.isWide || undefined}
      data-number={column.isNumber || undefined}
      aria-sort={sort?.direction}
    >
      {sort ? (
        <button type="button" className={classes.sort} onClick={sort.toggle}>
          {header}
          <span aria-hidden="true">{{ ascending: ' ↑', descending: ' ↓', none: '' }[sort.direction]}</span>
        </button>
      ) : (
        <span className={column.isHeaderHidden ? classes.hidden : undefined}>{header}</span>
      )}
    </th>
  );
}

/** Stands for the rows above or below; nothing for a screen reader. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true" role="presentation">
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
