import { Group, NumberInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { PageLink, usePathId } from '../../platform/address';
import { AS_TEXT, lossless, stateVersionsDiffOptions } from '../../platform/client';
import { Answer } from '../../platform/errors';
import { usePage } from '../../platform/page';
import { Comparison } from './comparison';
import { useStateOfPage } from './state-context';

/** Two documents of a state beside each other; both are named by their serial. */
export function ComparePage() {
  const state = useStateOfPage();
  usePage('Compare', state.name);
  const [from, to] = [Number(usePathId('from')), Number(usePathId('to'))];
  const navigate = useNavigate();
  const diff = useQuery(
    lossless(
      stateVersionsDiffOptions({
        path: { stateId: state.id, from: String(from), to: String(to) },
        query: { limit: 1_000 },
        ...AS_TEXT,
      }),
    ),
  );
  const go = (next: { from?: number | string; to?: number | string }): void => {
    const [a, b] = [next.from ?? from, next.to ?? to];
    if (a !== '' && b !== '')
      void navigate({ to: `/states/${state.id}/versions/${a}/diff/${b}`, replace: true });
  };
  return (
    <Stack gap="md">
      <Group align="flex-end">
        <NumberInput
          label="From serial"
          value={from}
          min={0}
          w="8rem"
          onChange={(value) => go({ from: value })}
        />
        <NumberInput label="To serial" value={to} min={0} w="8rem" onChange={(value) => go({ to: value })} />
        <Text size="sm">
          <PageLink to={`/states/${state.id}/versions`}>All versions</PageLink>
        </Text>
      </Group>
      <Answer of={diff}>{(found) => <Comparison diff={found} />}</Answer>
    </Stack>
  );
}
