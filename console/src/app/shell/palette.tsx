import { Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { tenantStatesListOptions } from '../../platform/client';
import { useEntries } from '../../platform/registry';
import { useTenants } from '../../platform/tenant';
import classes from './palette.module.css';

interface Hit {
  kind: string;
  label: string;
  to: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MOST = 30;

/** Finds pages, states, tenants and transactions by a few letters or an id. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const navigate = useNavigate();
  const hits = useHits(text.trim());
  const chosen = Math.min(active, hits.length - 1);
  const go = (hit: Hit | undefined): void => {
    if (!hit) return;
    onClose();
    void navigate({ to: hit.to });
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      setActive((chosen + step + hits.length) % hits.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(hits[chosen]);
    }
  };
  return (
    <Modal opened onClose={onClose} title="Search" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <TextInput
        data-autofocus
        label="States, transactions, tenants and pages"
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls="palette-hits"
        aria-activedescendant={hits.length > 0 ? `palette-hit-${chosen}` : undefined}
        value={text}
        autoComplete="off"
        onChange={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKey}
      />
      <div role="listbox" id="palette-hits" aria-label="Hits" className={classes.hits}>
        {hits.map((hit, index) => (
          <div
            key={`${hit.kind} ${hit.to}`}
            id={`palette-hit-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={classes.hit}
            onClick={() => go(hit)}
            onMouseMove={() => setActive(index)}
          >
            <bdi className={classes.label}>{hit.label}</bdi>
            <Text size="xs" c="dimmed" component="span">
              {hit.kind}
            </Text>
          </div>
        ))}
      </div>
      <Text size="sm" c="dimmed" role="status">
        {hits.length === 0 && 'Nothing found.'}
      </Text>
    </Modal>
  );
}

function useHits(text: string): Hit[] {
  const { tenants, tenant } = useTenants();
  const [search] = useDebouncedValue(text, 150);
  const states = useQuery({
    ...tenantStatesListOptions({
      path: { tenantId: tenant?.id ?? '' },
      query: { limit: 100, search },
    }),
    enabled: tenant !== undefined && search !== '',
    placeholderData: keepPreviousData,
  });
  const commands = useEntries('commands', { tenantId: tenant?.id });
  const pages = useEntries('navigation', { tenantId: tenant?.id });
  const withTenant = (to: string): string => to.replace('$tenantId', tenant?.id ?? '');
  const matches = (...names: string[]): boolean =>
    names.some((name) => name.toLowerCase().includes(text.toLowerCase()));
  const hits: Hit[] = [
    ...(UUID.test(text) ? byId(text) : []),
    ...[...pages, ...commands]
      .filter(({ label, to }) => matches(label) && (tenant !== undefined || !to.includes('$tenantId')))
      .map(({ label, to }) => ({ kind: 'Page', label, to: withTenant(to) })),
    ...(text === '' ? [] : (states.data?.results ?? []))
      .filter(({ name, workspace, id }) => matches(name, workspace, id))
      .map(({ name, workspace, id }) => ({ kind: `State · ${workspace}`, label: name, to: `/states/${id}` })),
    ...tenants
      .filter(({ name }) => text !== '' && matches(name))
      .map(({ name, id }) => ({ kind: 'Tenant', label: name, to: `/tenants/${id}` })),
  ];
  return hits.slice(0, MOST);
}

function byId(id: string): Hit[] {
  return [
    { kind: 'Transaction', label: id, to: `/transactions/${id}` },
    { kind: 'State', label: id, to: `/states/${id}` },
  ];
}
