/** @jest-environment @happy-dom/jest-environment */
import { render, screen } from '@testing-library/react';
import { type Column, DataTable } from './data-table';

interface Thing {
  name: string;
}

function table() {
  const drawn: string[] = [];
  const columns: Column<Thing>[] = [
    {
      header: 'Name',
      cell: ({ name }) => {
        drawn.push(name);
        return name;
      },
    },
  ];
  const of = (rows: readonly Thing[], selected?: string) => (
    <DataTable
      name="Things"
      columns={columns}
      rows={rows}
      rowKey={({ name }) => name}
      isSelected={({ name }) => name === selected}
    />
  );
  return { drawn, of };
}
const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

it('renders a row again only when it has changed', () => {
  const { drawn, of } = table();
  const { rerender } = render(of([a, b]));
  expect(drawn).toEqual(['a', 'b']);
  rerender(of([a, b, c]));
  expect(drawn).toEqual(['a', 'b', 'c']);
  rerender(of([a, b, c], 'b'));
  expect(drawn).toEqual(['a', 'b', 'c', 'b']);
  rerender(of([{ name: 'a' }, b, c], 'b'));
  expect(drawn).toEqual(['a', 'b', 'c', 'b', 'a']);
});

it('is named, and marks the selected row', () => {
  const { of } = table();
  render(of([a, b], 'b'));
  const rows = screen.getByRole('table', { name: 'Things' }).querySelectorAll('tbody tr');
  expect([...rows].map((row) => (row as HTMLElement).dataset['selected'])).toEqual([undefined, 'true']);
});

it('draws a long list only where it can be seen, and says how long it is', () => {
  const { drawn, of } = table();
  render(of(Array.from({ length: 5_000 }, (_, index) => ({ name: `row ${index}` }))));
  expect(drawn.length).toBeLessThan(300);
  expect(screen.getAllByRole('table', { name: 'Things' }).at(-1)?.getAttribute('aria-rowcount')).toBe('5001');
});
