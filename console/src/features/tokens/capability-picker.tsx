import { Checkbox, MultiSelect, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { allows, type Grants } from '../../platform/access';
import { tenantStatesListOptions } from '../../platform/client';
import { useTenants } from '../../platform/tenant';
import {
  canPick,
  type Choice,
  consistent,
  holdsAnythingEverywhere,
  PICKABLE,
  sentenceOf,
} from './capability-choice';

interface PickerProps {
  held: Grants;
  choice: Choice;
  onChange: (choice: Choice) => void;
}

/** What a key may do and where, with the sentence it amounts to. */
export function CapabilityPicker({ held, choice, onChange }: PickerProps) {
  const { tenants, tenant } = useTenants();
  const states = useQuery({
    ...tenantStatesListOptions({ path: { tenantId: tenant?.id ?? '' }, query: { limit: 1_000 } }),
    enabled: tenant !== undefined && !choice.isEverything && choice.where === 'states',
  });
  const set = (change: Partial<Choice>): void => onChange(consistent(held, { ...choice, ...change }));
  const stateNames = (states.data?.results ?? []).map(({ id, name, workspace }) => ({
    value: id,
    label: workspace === 'default' ? name : `${name} (${workspace})`,
  }));
  const nameOf = (id: string): string =>
    tenants.find((one) => one.id === id)?.name ?? stateNames.find(({ value }) => value === id)?.label ?? id;
  return (
    <Stack gap="sm">
      <Radio.Group
        label="What it may do"
        value={choice.isEverything ? 'everything' : 'chosen'}
        onChange={(value) => {
          const where = holdsAnythingEverywhere(held) ? choice.where : 'tenants';
          set({ isEverything: value === 'everything', where });
        }}
      >
        <Radio value="everything" label="Everything that I may do" mt={4} />
        <Radio value="chosen" label="Only what is chosen here" mt={4} />
      </Radio.Group>
      {!choice.isEverything && (
        <>
          <Radio.Group label="Where" value={choice.where} onChange={(where) => set({ where })}>
            <Radio value="everywhere" label="Everywhere" mt={4} disabled={!holdsAnythingEverywhere(held)} />
            <Radio value="tenants" label="In these tenants" mt={4} />
            <Radio value="states" label="On these states" mt={4} />
          </Radio.Group>
          {choice.where === 'tenants' && (
            <MultiSelect
              label="Tenants"
              searchable
              data={tenants.map(({ id, name }) => ({ value: id, label: name }))}
              value={[...choice.tenants]}
              onChange={(chosen) => set({ tenants: chosen })}
            />
          )}
          {choice.where === 'states' && (
            <MultiSelect
              label={`States of ${tenant?.name ?? 'the tenant'}`}
              searchable
              limit={100}
              data={stateNames}
              value={[...choice.states]}
              onChange={(chosen) => set({ states: chosen, statesOf: tenant?.id })}
            />
          )}
          <Checkbox.Group
            label="Capabilities"
            value={[...choice.capabilities]}
            onChange={(chosen) => set({ capabilities: chosen })}
          >
            {PICKABLE.map(({ capability, label }) => (
              <Checkbox
                key={capability}
                value={capability}
                label={label}
                mt={6}
                disabled={!canPick(held, capability, choice)}
                description={
                  allows(held, { capability, anywhere: true }) ? undefined : 'You do not hold this yourself'
                }
              />
            ))}
          </Checkbox.Group>
        </>
      )}
      <Text size="sm" role="status">
        {sentenceOf(choice, nameOf)}
      </Text>
    </Stack>
  );
}
