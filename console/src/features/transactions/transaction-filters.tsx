import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mqlQueryOptions, statesGetOptions, tenantStatesListOptions } from '../../platform/client';

const PAUSE_MS = 300;
const MOST = 50;
const PEOPLE = 'SELECT id, name FROM users ORDER BY name, id LIMIT 1000';

interface FilterProps {
  /** id, as it stands in the address */
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** Chooses one state of a tenant by a part of its name. */
export function StateFilter({ tenantId, value, onChange }: FilterProps & { tenantId: string }) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, PAUSE_MS);
  const found = useQuery({
    ...tenantStatesListOptions({
      path: { tenantId },
      query: { search: search || undefined, sort: 'name', limit: MOST },
    }),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({ ...statesGetOptions({ path: { stateId: value ?? '' } }), enabled: !!value });
  const states = new Map(
    [...(found.data?.results ?? []), ...(chosen.data ? [chosen.data] : [])].map((state) => [state.id, state]),
  );
  const options = [...states.values()].map(({ id, name, workspace }) => ({
    value: id,
    label: workspace === 'default' ? name : `${name} (${workspace})`,
  }));
  return (
    <Select
      label="Where"
      placeholder="Any state"
      searchable
      clearable
      data={withChosen(options, value)}
      // The service has searched already.
      filter={({ options: all }) => all}
      onSearchChange={(text) => setTyped(options.some(({ label }) => label === text) ? '' : text)}
      nothingFoundMessage="No state has this in its name"
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}

/** Chooses one of the people and service accounts that share a tenant with the user. */
export function AuthorFilter({ value, onChange }: FilterProps) {
  const people = useQuery({ ...mqlQueryOptions({ query: { q: PEOPLE } }), staleTime: 60_000 });
  const options = (people.data ?? []).map((row) => ({
    value: String(row['id']),
    label: String(row['name']),
  }));
  return (
    <Select
      label="Author"
      placeholder="Anybody"
      searchable
      clearable
      limit={MOST}
      data={withChosen(options, value)}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}

/** An id that came with the address is shown even where its name is not known. */
function withChosen(options: { value: string; label: string }[], value: string | undefined) {
  const isKnown = value === undefined || options.some((option) => option.value === value);
  return isKnown ? options : [...options, { value, label: value.slice(0, 8) }];
}
