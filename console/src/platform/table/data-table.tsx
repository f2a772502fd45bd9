import { Fragment, memo, type ReactNode, useRef, useState } from 'react';
import { wordsIn } from './cell-words';
import classes from './data-table.module.css';
import { useOverflow } from './use-overflow';
import { useVisibleRows, type VisibleRows } from './visible-rows';

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

/** Tables that were shown so far. */
let tables = 0;

/** A table of any length: at most some dozen rows are in the document. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, name, columns } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // The router restores pixels of an element that it finds again, which are those of other rows.
  const [restorationId] = useState(() => `table-${(tables += 1)}`);
  const isOverflowing = useOverflow(scroller);
  const { isVirtual, drawn, after, measure, onFocus, onBlur } = useVisibleRows(props, scroller);
  return (
    <div
      ref={scroller}
      className={classes.scroller}
      data-scroll-restoration-id={restorationId}
      data-virtual={isVirtual || undefined}
      data-sideways={props.isSideways || undefined}
      {...(isVirtual || props.isSideways || isOverflowing ? scrollableProps(name) : {})}
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
        <tbody onFocus={onFocus} onBlur={onBlur}>
          {drawn.map(({ index, gap }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <Fragment key={props.rowKey(row, index)}>
                {gap > 0 && <Spacer height={gap} columns={columns.length} />}
                <DrawnRow
                  row={row}
                  index={index}
                  columns={columns}
                  measure={measure}
                  isSelected={props.isSelected?.(row) ?? false}
                />
              </Fragment>
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
      {columns.map((column) => {
        const content = column.cell(row);
        return (
          <td
            key={column.header}
            data-wide={column.isWide || undefined}
            data-number={column.isNumber || undefined}
            data-narrow={column.isHeaderHidden || undefined}
            data-words={wordsIn(content)}
          >
            {content}
          </td>
        );
      })}
    </tr>
  );
}

/** While one scrolls only the rows that come into view are rendered. */
const DrawnRow = memo(PlainRow) as typeof PlainRow;

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
