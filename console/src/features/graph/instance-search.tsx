import { Autocomplete } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { graphResourcesSummaryOptions } from '../../platform/client';
import { IconSearch } from '../../platform/icons';
import { completions } from './search-terms';

const PAUSE_MS = 350;

interface SearchProps {
  stateId: string;
  value: string;
  onSearch: (text: string) => void;
  failure?: string;
}

/** The search of instances, with completion of its keys and of the types of the state. */
export function InstanceSearch({ stateId, value, onSearch, failure }: SearchProps) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const types = useQuery({ ...graphResourcesSummaryOptions({ path: { stateId } }), staleTime: 60_000 });
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === reported.current) return undefined;
    const timer = setTimeout(() => {
      reported.current = text;
      onSearch(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onSearch]);
  return (
    <Autocomplete
      label="Filter"
      description="Part of an address, or terms such as type:aws_vpc module:module.app attr:tags.env:prod; * matches anything"
      leftSection={<IconSearch />}
      value={text}
      onChange={setText}
      data={completions(text, Object.keys(types.data ?? {}))}
      filter={({ options }) => options}
      error={failure}
      spellCheck={false}
      autoComplete="off"
      maw="46rem"
    />
  );
}
