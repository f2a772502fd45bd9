import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PageLink } from '../../platform/address';
import {
  AS_TEXT,
  graphBlastRadiusOptions,
  graphListOptions,
  type InstanceView,
  lossless,
  textOf,
} from '../../platform/client';
import { SidePanel } from '../../platform/dialogs';
import { Answer, ErrorBoundary } from '../../platform/errors';
import { CopyButton, Facts, plural } from '../../platform/formats';
import { ValueTree } from '../../platform/values';
import { useStateOfPage } from '../states';
import { InstanceHistory } from './instance-history';
import { exactAddress } from './search-terms';

const MOST_LINKS = 100;

/** One instance: attributes, what it depends on, what depends on it, and what it was before. */
export function InstancePanel({ address, onClose }: { address: string; onClose: () => void }) {
  const state = useStateOfPage();
  const found = useQuery(
    lossless(
      graphListOptions({
        path: { stateId: state.id },
        query: { q: exactAddress(address), limit: 10 },
        ...AS_TEXT,
      }),
    ),
  );
  return (
    <SidePanel title={<bdi style={{ overflowWrap: 'anywhere' }}>{address}</bdi>} onClose={onClose}>
      <ErrorBoundary resetKey={address}>
        <Stack gap="md">
          <Answer of={found}>
            {({ results }) => {
              const live = results.find(({ deposed }) => deposed === undefined) ?? results[0];
              return live ? (
                <Details instance={live} deposed={results.filter((one) => one !== live)} />
              ) : (
                <Text>No instance has this address now. Its history is below.</Text>
              );
            }}
          </Answer>
          <Part title="History">
            <InstanceHistory stateId={state.id} address={address} />
          </Part>
        </Stack>
      </ErrorBoundary>
    </SidePanel>
  );
}

function Details({ instance, deposed }: { instance: InstanceView; deposed: readonly InstanceView[] }) {
  const state = useStateOfPage();
  const graph = { address: instance.address, depth: '3', direction: 'dependents', blast: 'true' };
  return (
    <Stack gap="md">
      <Group gap="md">
        <PageLink to={`/states/${state.id}/graph`} search={graph}>
          Blast radius
        </PageLink>
        <CopyButton text={instance.address} label="Copy the address" />
      </Group>
      <Facts
        facts={[
          ['Type', instance.type],
          ['Provider', instance.provider],
          ['Module', instance.module ?? 'root'],
          ['Mode', instance.mode],
          ['Status', instance.status],
          ['Key', instance.index_key === undefined ? undefined : textOf(instance.index_key)],
          [
            'Deposed objects',
            deposed.length === 0 ? undefined : deposed.map((one) => one.deposed).join(', '),
          ],
        ]}
      />
      <Part title="Attributes">
        <ValueTree value={instance.attributes} />
      </Part>
      <Part title="Dependencies">
        <Addresses addresses={instance.dependencies} none="It depends on nothing." />
      </Part>
      <Part title="Dependents">
        <Dependents address={instance.address} />
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h5" mb={4}>
        {title}
      </Title>
      {children}
    </section>
  );
}

function Dependents({ address }: { address: string }) {
  const state = useStateOfPage();
  const radius = useQuery(
    graphBlastRadiusOptions({ path: { stateId: state.id, address }, query: { limit: 1_000 } }),
  );
  return (
    <Answer of={radius}>
      {({ results }) => {
        const direct = results.filter(({ distance }) => distance === 1);
        const own = direct.filter(({ state_id }) => state_id === state.id).map((one) => one.address);
        const others = direct.filter(({ state_id }) => state_id !== state.id);
        return (
          <>
            <Addresses addresses={own} none={others.length === 0 ? 'Nothing depends on it.' : ''} />
            {others.map((one) => (
              <div key={`${one.state_id} ${one.address}`}>
                <PageLink to={`/states/${one.state_id}/instances`} search={{ instance: one.address }}>
                  <bdi>{one.address}</bdi>
                </PageLink>{' '}
                in <bdi>{one.state_name}</bdi>
              </div>
            ))}
          </>
        );
      }}
    </Answer>
  );
}

function Addresses({ addresses, none }: { addresses: readonly string[]; none: string }) {
  const state = useStateOfPage();
  if (addresses.length === 0) return <Text size="sm">{none}</Text>;
  return (
    <Stack gap={2}>
      {addresses.slice(0, MOST_LINKS).map((address) => (
        <PageLink key={address} to={`/states/${state.id}/instances`} search={{ instance: address }} size="sm">
          <bdi>{address}</bdi>
        </PageLink>
      ))}
      {addresses.length > MOST_LINKS && (
        <Text size="sm" c="dimmed">
          and {plural(addresses.length - MOST_LINKS, 'more instance')}: see the graph.
        </Text>
      )}
    </Stack>
  );
}
