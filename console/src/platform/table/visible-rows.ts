import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type FocusEvent, type RefObject, useCallback, useEffect, useRef } from 'react';

/** More rows than this are drawn only where they can be seen. */
const PLAIN_ROWS = 60;
const ROW_HEIGHT = 41;
/** The first row that was seen, and pixels of it above the edge: other rows are measured anew. */
const remembered = new Map<string, { index: number; above: number }>();

interface VisibleRowsOptions<Row> {
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  /** asked for when the end of the rows comes near */
  onEnd?: (() => void) | undefined;
  /** place to come back to, such as the address of the page */
  scrollKey?: string | undefined;
}

export interface VisibleRows {
  isVirtual: boolean;
  /** rows that are drawn, with the pixels that the rows left out before each would take */
  drawn: { index: number; gap: number }[];
  /** pixels that the rows below would take */
  after: number;
  /** set for a virtual table: told of each drawn row */
  measure?: (row: HTMLTableRowElement | null) => void;
  onFocus: (event: FocusEvent<HTMLElement>) => void;
  onBlur: () => void;
}

/**
 * Which rows are drawn. Asks for more when the last ones are, and remembers how far was scrolled. When rows come or go
 * above, those that are being read stay where they are. The row that has the focus is always drawn, and keeps it.
 */
export function useVisibleRows<Row>(
  { rows, rowKey, onEnd, scrollKey }: VisibleRowsOptions<Row>,
  scroller: RefObject<HTMLDivElement | null>,
): VisibleRows {
  const isVirtual = rows.length > PLAIN_ROWS || (onEnd !== undefined && rows.length > 0);
  const isScrolled = useRef(false);
  const { keyOf, withFocused, ...focus } = useFocusedRow(rows, rowKey);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    rangeExtractor: withFocused,
    // At the top, new rows are shown; further down the row under the eye stays.
    anchorTo: isScrolled.current ? 'end' : 'start',
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    enabled: isVirtual,
    initialOffset: () => {
      const { index, above } = remembered.get(scrollKey ?? '') ?? { index: 0, above: 0 };
      return index * ROW_HEIGHT + above;
    },
    onChange: (instance) => {
      const offset = instance.scrollOffset ?? 0;
      isScrolled.current = offset > 0;
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
  if (!isVirtual)
    return { ...focus, isVirtual, drawn: rows.map((_, index) => ({ index, gap: 0 })), after: 0 };
  return {
    ...focus,
    isVirtual,
    drawn: withGaps(items),
    after: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0),
    measure: virtualizer.measureElement,
  };
}

function withGaps(items: readonly VirtualItem[]): VisibleRows['drawn'] {
  return items.map(({ index, start }, place) => ({ index, gap: start - (items[place - 1]?.end ?? 0) }));
}

/** Keys of rows, and the one that has the focus: a row that is no longer drawn would lose it. */
function useFocusedRow<Row>(rows: readonly Row[], rowKey: VisibleRowsOptions<Row>['rowKey']) {
  const latestKey = useRef(rowKey);
  latestKey.current = rowKey;
  const focused = useRef<{ key: string; index: number }>(undefined);
  const keyOf = useCallback(
    (index: number): string => {
      const row = rows[index];
      return row === undefined ? '' : latestKey.current(row, index);
    },
    [rows],
  );
  const withFocused = useCallback(
    (range: Range): number[] => {
      const indexes = defaultRangeExtractor(range);
      const { key, index: before } = focused.current ?? { key: undefined, index: 0 };
      if (key === undefined) return indexes;
      const index = keyOf(before) === key ? before : rows.findIndex((_, each) => keyOf(each) === key);
      if (index < 0) return indexes;
      focused.current = { key, index };
      return indexes.includes(index) ? indexes : [...indexes, index].sort((a, b) => a - b);
    },
    [rows, keyOf],
  );
  const onFocus = (event: FocusEvent<HTMLElement>): void => {
    const index = Number(event.target.closest('tr')?.dataset['index'] ?? Number.NaN);
    focused.current = Number.isNaN(index) ? undefined : { key: keyOf(index), index };
  };
  const onBlur = (): void => {
    focused.current = undefined;
  };
  return { keyOf, withFocused, onFocus, onBlur };
}
