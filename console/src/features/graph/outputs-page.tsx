import { useQuery } from '@tanstack/react-query';
import { AS_TEXT, lossless, outputsListOptions, type OutputValueView, textOf } from '../../platform/client';
import { Answer, Empty } from '../../platform/errors';
import { CopyButton } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { type Column, DataTable } from '../../platform/table';
import { ValueTree } from '../../platform/values';
import { useStateOfPage } from '../states';
import { emptyWords } from './empty-words';

/** Outputs of the current document. */
export function OutputsPage() {
  const state = useStateOfPage();
  usePage('Outputs', state.name);
  const outputs = useQuery(lossless(outputsListOptions({ path: { stateId: state.id }, ...AS_TEXT })));
  return (
    <Answer of={outputs}>
      {({ results }) =>
        results.length === 0 ? (
          <Empty>
            {emptyWords(state, 'No outputs. They are what a configuration declares with output blocks.')}
          </Empty>
        ) : (
          <DataTable name="Outputs" rows={results} rowKey={(output) => output.name} columns={COLUMNS} />
        )
      }
    </Answer>
  );
}

const COLUMNS: Column<OutputValueView>[] = [
  { header: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
  {
    header: 'Value',
    cell: ({ value, sensitive }) => (sensitive ? '(sensitive)' : <ValueTree value={value} />),
  },
  { header: 'Type', isWide: true, cell: ({ type }) => textOf(type) },
  {
    header: 'Copy',
    isHeaderHidden: true,
    isWide: true,
    cell: ({ value, sensitive }) => !sensitive && <CopyButton text={textOf(value)} />,
  },
];
