import { ActionIcon, Button, Kbd, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useUser } from '../../platform/access';
import { authLogout, forgetSession } from '../../platform/client';
import { ErrorBoundary } from '../../platform/errors';
import { IconCheck, IconChevron, IconMenu, IconSearch, IconSun, IconUser } from '../../platform/icons';
import { lazyPart } from '../../platform/parts/lazy-part';
import classes from './frame.module.css';
import { TenantMenu } from './tenant-menu';

const Palette = lazyPart(() => import('./palette').then((part) => part.Palette));

export function Banner({ isWide, onNavigation }: { isWide: boolean; onNavigation: () => void }) {
  const [isSearching, setSearching] = useState(false);
  useHotkeys([['mod+K', () => setSearching(true)]], []);
  return (
    <header className={classes.banner}>
      {isWide ? (
        <span className={classes.product}>Infrastructure State</span>
      ) : (
        <ActionIcon variant="subtle" color="gray" onClick={onNavigation} aria-label="Navigation" size="lg">
          <IconMenu />
        </ActionIcon>
      )}
      <TenantMenu />
      <span className={classes.grow} />
      <Button
        variant="default"
        size="xs"
        leftSection={<IconSearch />}
        rightSection={isWide ? <Kbd size="xs">Ctrl K</Kbd> : undefined}
        onClick={() => setSearching(true)}
      >
        Search
      </Button>
      <SchemeMenu />
      <AccountMenu isWide={isWide} />
      {isSearching && (
        <div className={classes.above}>
          <ErrorBoundary>
            <Suspense fallback={null}>
              <Palette onClose={() => setSearching(false)} />
            </Suspense>
          </ErrorBoundary>
        </div>
      )}
    </header>
  );
}

const SCHEMES = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['auto', 'Auto'],
] as const;

function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Color scheme">
          <IconSun />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(([scheme, label]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={colorScheme === scheme ? <IconCheck /> : undefined}
            aria-current={colorScheme === scheme ? 'true' : undefined}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountMenu({ isWide }: { isWide: boolean }) {
  const user = useUser();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const signOut = async (): Promise<void> => {
    // The answer is a redirect for browsers that came by a link; only its cookie matters here.
    await authLogout({ redirect: 'manual' });
    await navigate({ to: '/login', replace: true });
    forgetSession(queries);
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          px={isWide ? undefined : 6}
          aria-label={`Account: ${user.name}`}
          rightSection={isWide ? <IconChevron /> : undefined}
        >
          {isWide ? <span className={classes.label}>Account: {user.name}</span> : <IconUser />}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {user.name}
          </Text>
          <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
            {user.email ?? ''}
          </Text>
        </Menu.Label>
        <Menu.Item onClick={() => void navigate({ to: '/settings' })}>Settings</Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
