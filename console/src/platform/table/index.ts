export { type Column, DataTable, type SortControl } from './data-table';
export { FilterField } from './filter-field';
export { Listing } from './listing';
