import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { IconSearch } from '../icons';

const PAUSE_MS = 300;

interface FilterFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  onFilter: (text: string) => void;
}

/** A text filter that reports after a pause; what is typed is never replaced by an older value. */
export function FilterField({ value, onFilter, ...rest }: FilterFieldProps) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  useEffect(() => {
    if (value !== reported.current) {
      reported.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    if (text === reported.current) return undefined;
    const timer = setTimeout(() => {
      reported.current = text;
      onFilter(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onFilter]);
  return (
    <TextInput
      aria-label="Filter"
      placeholder="Filter"
      leftSection={<IconSearch />}
      autoComplete="off"
      spellCheck={false}
      {...rest}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
