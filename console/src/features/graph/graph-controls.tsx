import { Group, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { first, useView } from '../../platform/address';
import { COLOR_CHOICES, type ColorBy } from './graph-colors';
import type { Folding } from './graph-folding';

const DIRECTIONS = ['both', 'dependencies', 'dependents'] as const;
type Direction = (typeof DIRECTIONS)[number];
type AddressView = Partial<
  Record<'address' | 'depth' | 'direction' | 'limit' | 'blast' | 'color' | 'fold', string>
> & { open?: string | string[] };

export interface GraphViewState {
  address: string | undefined;
  depth: number;
  direction: Direction;
  limit: number;
  blast: boolean;
  colorBy: ColorBy;
  folding: Folding;
}

/** The view of the graph as it stands in the address; what is out of bounds counts as left out. */
export function useGraphView() {
  const [raw, setView] = useView<AddressView>();
  const view: GraphViewState = {
    address: first(raw.address) || undefined,
    depth: bounded(first(raw.depth), 1, 3, 1),
    direction: DIRECTIONS.find((known) => known === first(raw.direction)) ?? 'both',
    limit: bounded(first(raw.limit), 1, 2_000, 500),
    blast: first(raw.blast) === 'true',
    colorBy: COLOR_CHOICES.find((by) => by === first(raw.color)) ?? 'type',
    folding: { isFolded: first(raw.fold) === 'true', opened: [raw.open ?? []].flat() },
  };
  return { view, setView };
}

function bounded(text: string | undefined, least: number, most: number, otherwise: number): number {
  const value = Number(text);
  return text !== undefined && Number.isInteger(value) && value >= least && value <= most ? value : otherwise;
}

interface ControlsProps {
  view: GraphViewState;
  setView: (change: AddressView) => void;
  refusal: string | undefined;
}

export function GraphControls(props: ControlsProps) {
  const { view, setView } = props;
  const [address, setAddress] = useState(view.address ?? '');
  useEffect(() => setAddress(view.address ?? ''), [view.address]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setView({ address });
      }}
    >
      <Group align="flex-start" gap="sm">
        <TextInput
          label="Instance"
          placeholder="The best connected ones"
          value={address}
          error={props.refusal}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setAddress(event.currentTarget.value)}
          onBlur={() => address !== (view.address ?? '') && setView({ address })}
          w="min(26rem, 100%)"
        />
        <NativeSelect
          label="Depth"
          data={['1', '2', '3']}
          value={String(view.depth)}
          onChange={(event) => setView({ depth: event.currentTarget.value })}
        />
        <NativeSelect
          label="Direction"
          data={[...DIRECTIONS]}
          value={view.direction}
          onChange={(event) => setView({ direction: event.currentTarget.value })}
        />
        <NativeSelect
          label="Color by"
          data={[...COLOR_CHOICES]}
          value={view.colorBy}
          onChange={(event) => setView({ color: event.currentTarget.value })}
        />
        <Group gap="lg" mt={{ base: 0, sm: 30 }}>
          <Switch
            label="Blast radius"
            checked={view.blast}
            disabled={view.address === undefined}
            title={view.address === undefined ? 'Needs an instance' : undefined}
            onChange={(event) => setView({ blast: event.currentTarget.checked ? 'true' : undefined })}
          />
          <Switch
            label="Fold modules"
            checked={view.folding.isFolded}
            onChange={(event) =>
              setView({ fold: event.currentTarget.checked ? 'true' : undefined, open: undefined })
            }
          />
        </Group>
      </Group>
    </form>
  );
}
