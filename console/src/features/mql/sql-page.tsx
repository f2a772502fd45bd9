import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { first, useView } from '../../platform/address';
import { mqlSchemaOptions } from '../../platform/client';
import { FailureAlert, Waiting, wordsOf } from '../../platform/errors';
import { plural } from '../../platform/formats';
import { Page } from '../../platform/page';
import { lazyPart } from '../../platform/parts/lazy-part';
import { placeOf } from './error-position';
import { QueryLists } from './query-lists';
import { useHistory } from './query-history';
import { Results } from './results';
import { runQuery } from './run-query';
import type { Tables } from './sql-completion';

const SqlEditor = lazyPart(() => import('./sql-editor').then((part) => part.SqlEditor));
const NO_TABLES: Tables = {};

/** One SELECT over every state one may read; the query stands in the address. */
export function SqlPage() {
  const [view, setView] = useView<{ q?: string }>();
  const asked = first(view.q) ?? '';
  const [text, setText] = useTextOf(asked);
  // A page belongs to the query that it was asked with.
  const [paged, setPaged] = useState<{ of: string; page: string | undefined }>();
  const page = paged?.of === asked ? paged.page : undefined;
  const { add, ...past } = useHistory();
  const tables = useTables();
  const result = useQuery({
    queryKey: ['sql', asked, page],
    queryFn: ({ signal }) => runQuery(asked, page, signal),
    enabled: asked !== '',
    staleTime: Infinity,
    // Rows of the page before stay until the next one is there; those of another query do not.
    placeholderData: (before, query) => (query?.queryKey[1] === asked ? before : undefined),
  });
  const run = (): void => {
    const query = text.trim();
    if (query === '') return;
    add(text);
    if (text === asked) void result.refetch();
    else setView({ q: text }, { push: true });
  };
  const goToPage = useCallback((next: string | undefined) => setPaged({ of: asked, page: next }), [asked]);
  const place = result.error ? placeOf(wordsOf(result.error), asked) : undefined;
  const mark = useMemo(
    () => (place && result.error ? { offset: place.offset, message: wordsOf(result.error) } : undefined),
    [place?.offset, result.error],
  );
  return (
    <Page title="SQL">
      <Suspense fallback={<Waiting label="Loading the editor" />}>
        <SqlEditor
          value={text}
          onChange={setText}
          onRun={run}
          tables={tables}
          mark={text === asked ? mark : undefined}
        />
      </Suspense>
      <Group gap="sm">
        <Button onClick={run} disabled={text.trim() === ''}>
          Run
        </Button>
        <Text size="sm" c="dimmed">
          Ctrl+Enter runs. Without LIMIT 20 rows, with LIMIT up to 1,000.
        </Text>
      </Group>
      <VisuallyHidden role="status">
        {!result.isFetching && result.data && plural(result.data.rows.length, 'row')}
      </VisuallyHidden>
      {asked !== '' && (
        <Stack gap="xs">
          {result.error ? (
            <FailureAlert
              failure={result.error}
              retry={place ? undefined : () => void result.refetch()}
              title={place && `line ${place.line}, column ${place.column}`}
            />
          ) : result.data ? (
            <Results key={asked} result={result.data} isBusy={result.isFetching} onPage={goToPage} />
          ) : (
            <Waiting label="Running" reason={result.failureReason} />
          )}
        </Stack>
      )}
      <QueryLists {...past} onPick={setText} />
    </Page>
  );
}

/** The text of the editor: the query of the address, until something else is typed. */
function useTextOf(asked: string): [string, (text: string) => void] {
  const [text, setText] = useState(asked);
  const latest = useRef(text);
  latest.current = text;
  useEffect(() => {
    if (asked !== latest.current) setText(asked);
  }, [asked]);
  return [text, setText];
}

function useTables(): Tables {
  const { data } = useQuery({ ...mqlSchemaOptions(), staleTime: Infinity });
  return useMemo(() => (data ? tablesOf(data) : NO_TABLES), [data]);
}

function tablesOf(schema: object): Tables {
  const { tables = {} } = schema as {
    tables?: Record<string, { columns?: Record<string, { type?: string }> }>;
  };
  const columnsOf = (columns: Record<string, { type?: string }>) =>
    Object.fromEntries(Object.entries(columns).map(([column, { type = '' }]) => [column, type]));
  return Object.fromEntries(
    Object.entries(tables).map(([name, { columns = {} }]) => [name, columnsOf(columns)]),
  );
}
