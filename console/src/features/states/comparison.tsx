import { Badge, Stack, Text, Title } from '@mantine/core';
import { type ChangedAttributeView, textOf, type VersionDiffView } from '../../platform/client';
import { plural } from '../../platform/formats';
import { type Column, DataTable } from '../../platform/table';
import classes from './comparison.module.css';

interface ChangedRow {
  address: string;
  kind: 'added' | 'changed' | 'removed';
  attributes: readonly ChangedAttributeView[];
}

/** `web[2]` before `web[10]`. */
const BY_NUMBER = new Intl.Collator('en', { numeric: true });
const COLORS = { added: 'green', changed: 'yellow', removed: 'red' } as const;

/** What differs between two documents, by instance. */
export function Comparison({ diff }: { diff: VersionDiffView }) {
  const rows = rowsOf(diff);
  const more = diff.more_changed ?? 0;
  const outputs = Object.entries(diff.outputs).flatMap(([kind, names]) =>
    names.map((name) => ({ kind, name })),
  );
  if (rows.length === 0 && outputs.length === 0) return <Text>Nothing differs.</Text>;
  return (
    <Stack gap="md">
      <Text role="status">
        {plural(diff.added.length, 'instance')} added, {diff.changed.length + more} changed,{' '}
        {diff.removed.length} removed
      </Text>
      {rows.length > 0 && (
        <DataTable
          name="Changed instances"
          rows={rows}
          rowKey={(row) => `${row.kind} ${row.address}`}
          columns={COLUMNS}
        />
      )}
      {more > 0 && (
        <Text c="dimmed">
          {plural(more, 'more changed instance')} not shown: the comparison is cut after the first ones.
        </Text>
      )}
      {outputs.length > 0 && (
        <section>
          <Title order={2} size="h5" mb="xs">
            Outputs
          </Title>
          <ul className={classes.outputs}>
            {outputs.map(({ kind, name }) => (
              <li key={`${kind} ${name}`}>
                <bdi>{name}</bdi> {kind}
              </li>
            ))}
          </ul>
        </section>
      )}
    </Stack>
  );
}

function rowsOf(diff: VersionDiffView): ChangedRow[] {
  const plain = (kind: 'added' | 'removed') =>
    diff[kind].map((address) => ({ address, kind, attributes: [] }));
  const changed = diff.changed.map((one) => ({ ...one, kind: 'changed' as const }));
  return [...plain('added'), ...changed, ...plain('removed')].sort((a, b) =>
    BY_NUMBER.compare(a.address, b.address),
  );
}

const COLUMNS: Column<ChangedRow>[] = [
  {
    header: 'Instance',
    cell: ({ address, attributes }) => (
      <>
        <bdi>{address}</bdi>
        {attributes.length > 0 && (
          <ul className={classes.attributes}>
            {attributes.map((attribute) => (
              <Attribute key={attribute.path} attribute={attribute} />
            ))}
          </ul>
        )}
      </>
    ),
  },
  {
    header: 'Change',
    cell: ({ kind }) => (
      <Badge color={COLORS[kind]} variant="light" className={classes.kind}>
        {kind}
      </Badge>
    ),
  },
];

function Attribute({ attribute }: { attribute: ChangedAttributeView }) {
  const { path, before, after, sensitive } = attribute;
  return (
    <li>
      <span className={classes.path}>{path}</span>{' '}
      {sensitive ? (
        '(sensitive)'
      ) : (
        <>
          {before !== undefined && <del className={classes.value}>{textOf(before)}</del>}
          {before !== undefined && after !== undefined && ' → '}
          {after !== undefined && <ins className={classes.value}>{textOf(after)}</ins>}
        </>
      )}
    </li>
  );
}
