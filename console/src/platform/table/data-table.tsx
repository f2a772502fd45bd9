import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
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
const remembered = new Map<string, number>();

/** A table of any length: at most some dozen rows are in the document. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, name, columns, onEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isVirtual = rows.length > PLAIN_ROWS || (onEnd !== undefined && rows.length > 0);
  const isScrollable = isVirtual || props.isSideways;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    enabled: isVirtual,
    initialOffset: () => remembered.get(props.scrollKey ?? '') ?? 0,
    onChange: (instance) => {
      if (props.scrollKey !== undefined) remembered.set(props.scrollKey, instance.scrollOffset ?? 0);
    },
  });
  const items = isVirtual ? virtualizer.getVirtualItems() : [];
  const last = items.at(-1)?.index;
  useEffect(() => {
    if (onEnd && last !== undefined && last >= rows.length - 20) onEnd();
  }, [last, rows.length, onEnd]);
  const before = items[0]?.start ?? 0;
  const after = isVirtual ? virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) : 0;
  const shown = isVirtual ? items.map((item) => item.index) : rows.map((_, index) => index);
  const count = props.total ?? (onEnd ? -1 : rows.length);
  return (
    <div
      ref={scroller}
      className={classes.scroller}
      data-virtual={isVirtual || undefined}
      data-sideways={props.isSideways || undefined}
      // Only what scrolls is a stop of the keyboard.
      tabIndex={isScrollable ? 0 : undefined}
      role={isScrollable ? 'group' : undefined}
      aria-label={isScrollable ? `${name}, scrollable` : undefined}
    >
      <table
        className={classes.table}
        aria-label={name}
        aria-rowcount={isVirtual ? (count < 0 ? -1 : count + 1) : undefined}
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
          {shown.map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <tr
                key={props.rowKey(row, index)}
                ref={isVirtual ? virtualizer.measureElement : undefined}
                data-index={index}
                aria-rowindex={isVirtual ? index + 2 : undefined}
                data-selected={props.isSelected?.(row) || undefined}
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
          })}
          {after > 0 && <Spacer height={after} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
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
