import { Button, Menu, ScrollArea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { IconCheck, IconChevron } from '../../platform/icons';
import { useTenants } from '../../platform/tenant';
import classes from './frame.module.css';

/** More tenants than this get a filter. */
const FEW = 8;

/** Chooses the tenant that the pages are about. */
export function TenantMenu() {
  const { tenants, tenant } = useTenants();
  const navigate = useNavigate();
  const [filter, setFilter] = useState('');
  if (!tenant) return null;
  const shown = tenants.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  return (
    <Menu position="bottom-start" width={260} onClose={() => setFilter('')}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          rightSection={<IconChevron />}
          aria-label={`Tenant: ${tenant.name}`}
          className={classes.shrink}
        >
          <span className={classes.label}>
            <bdi>{tenant.name}</bdi>
          </span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {tenants.length > FEW && (
          <TextInput
            size="xs"
            m={4}
            aria-label="Filter tenants"
            placeholder="Filter"
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        )}
        <ScrollArea.Autosize mah={320}>
          {shown.slice(0, 100).map(({ id, name }) => (
            <Menu.Item
              key={id}
              onClick={() => void navigate({ to: `/tenants/${id}` })}
              rightSection={id === tenant.id ? <IconCheck /> : undefined}
              aria-current={id === tenant.id ? 'true' : undefined}
              style={{ overflowWrap: 'anywhere' }}
            >
              <bdi>{name}</bdi>
            </Menu.Item>
          ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
}
