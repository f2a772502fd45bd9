import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { EXAMPLES } from './examples';
import type { PastQuery } from './query-history';
import classes from './query-lists.module.css';

interface QueryListsProps {
  history: readonly PastQuery[];
  toggle: (sql: string) => void;
  clear: () => void;
  onPick: (sql: string) => void;
}

/** Past queries of this browser, and examples. */
export function QueryLists({ history, toggle, clear, onPick }: QueryListsProps) {
  const ordered = history.toSorted((a, b) => Number(b.isFavourite) - Number(a.isFavourite));
  return (
    <Stack gap="lg">
      <section>
        <Group justify="space-between" mb={4}>
          <Title order={2} size="h5">
            History
          </Title>
          {history.length > 0 && (
            <Button size="compact-xs" variant="default" onClick={clear}>
              Clear history
            </Button>
          )}
        </Group>
        {history.length === 0 && (
          <Text size="sm" c="dimmed">
            Queries that you run in this browser.
          </Text>
        )}
        <ul aria-label="History" className={classes.list}>
          {ordered.map(({ sql, isFavourite }) => (
            <li key={sql} className={classes.entry}>
              <Pick onPick={() => onPick(sql)}>{sql}</Pick>
              <Button
                size="compact-xs"
                variant={isFavourite ? 'filled' : 'default'}
                aria-pressed={isFavourite}
                aria-label={`Favourite: ${sql.slice(0, 60)}`}
                onClick={() => toggle(sql)}
              >
                ★
              </Button>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <Title order={2} size="h5" mb={4}>
          Examples
        </Title>
        <ul aria-label="Examples" className={classes.columns}>
          {EXAMPLES.map(({ title, sql }) => (
            <li key={title} className={classes.entry}>
              <Pick onPick={() => onPick(sql)}>{title}</Pick>
            </li>
          ))}
        </ul>
      </section>
    </Stack>
  );
}

function Pick({ onPick, children }: { onPick: () => void; children: ReactNode }) {
  return (
    <button type="button" className={classes.pick} onClick={onPick}>
      {children}
    </button>
  );
}
