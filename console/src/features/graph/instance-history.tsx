import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import { mqlQueryOptions } from '../../platform/client';
import { Answer } from '../../platform/errors';
import { Time } from '../../platform/formats';

const MOST = 50;

/** A text literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Every form an instance has had, newest first. */
export function InstanceHistory({ stateId, address }: { stateId: string; address: string }) {
  const q =
    'SELECT from_version, to_version, valid_from, valid_to, valid_from_tx, deposed FROM instances_history ' +
    `WHERE state_id = ${sqlText(stateId)} AND address = ${sqlText(address)} ORDER BY from_version DESC LIMIT ${MOST}`;
  const history = useQuery(mqlQueryOptions({ query: { q } }));
  return (
    <Answer of={history}>
      {(rows) =>
        rows.length === 0 ? (
          <Text size="sm">No history.</Text>
        ) : (
          <List size="sm">
            {rows.map((row) => (
              <List.Item key={`${textIn(row, 'from_version')} ${textIn(row, 'deposed')}`}>
                version {textIn(row, 'from_version')}, <Time value={textIn(row, 'valid_from')} />
                {textIn(row, 'valid_from_tx') !== '' && (
                  <>
                    {' '}
                    in transaction{' '}
                    <PageLink to={`/transactions/${textIn(row, 'valid_from_tx')}`}>
                      {textIn(row, 'valid_from_tx').slice(0, 8)}
                    </PageLink>
                  </>
                )}
                {textIn(row, 'to_version') !== '' && (
                  <>
                    {' '}
                    until version {textIn(row, 'to_version')}, <Time value={textIn(row, 'valid_to')} />
                  </>
                )}
              </List.Item>
            ))}
          </List>
        )
      }
    </Answer>
  );
}

function textIn(row: Record<string, unknown>, column: string): string {
  const value = row[column];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
