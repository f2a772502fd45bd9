import { PageLink } from '../../platform/address';
import type { GraphNodeView } from '../../platform/client';
import { type Column, DataTable } from '../../platform/table';

interface GraphTableProps {
  nodes: readonly GraphNodeView[];
  /** distances of the blast radius by state and address */
  blast: ReadonlyMap<string, number> | undefined;
}

/** Everything in the drawing, for the keyboard and for screen readers. */
export function GraphTable({ nodes, blast }: GraphTableProps) {
  const columns: Column<GraphNodeView>[] = [
    {
      header: 'Address',
      cell: (node) => (
        <PageLink to={`/states/${node.state_id}/instances`} search={{ instance: node.address }}>
          <bdi>{node.address}</bdi>
        </PageLink>
      ),
    },
    { header: 'State', isWide: true, cell: (node) => <bdi>{node.state_name}</bdi> },
    { header: 'Distance', isNumber: true, isWide: blast !== undefined, cell: (node) => node.distance },
    { header: 'Direction', isWide: true, cell: (node) => node.direction },
    ...(blast
      ? [
          {
            header: 'Blast radius',
            isNumber: true,
            cell: (node: GraphNodeView) => blast.get(`${node.state_id} ${node.address}`) ?? '–',
          },
        ]
      : []),
    {
      header: 'Graph',
      isHeaderHidden: true,
      cell: (node) => (
        <PageLink
          to={`/states/${node.state_id}/graph`}
          search={{ address: node.address }}
          style={{ whiteSpace: 'nowrap' }}
        >
          Go on from here
        </PageLink>
      ),
    },
  ];
  return (
    <DataTable
      name="Instances in view"
      rows={nodes}
      rowKey={(node) => String(node.id)}
      columns={columns}
      total={nodes.length}
    />
  );
}
