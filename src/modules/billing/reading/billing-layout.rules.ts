import { ColumnNames, type Layout } from './column-names.rules.js';
import { curLayout } from './cur-columns.rules.js';
import { focusLayout } from './focus-columns.rules.js';

/** The layout of a file by its column names, or the first needed column that it lacks. */
export function layoutOf(names: readonly string[]): Layout | { missing: string } {
  const columns = new ColumnNames(names);
  return columns.find('BilledCost') === undefined && columns.find('lineItem/UnblendedCost') !== undefined
    ? curLayout(columns)
    : focusLayout(columns);
}
