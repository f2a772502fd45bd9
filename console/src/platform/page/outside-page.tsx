import { Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './page.module.css';
import { usePage } from './use-page';

/** A page outside of the frame: signing in, setup, invitations. */
export function OutsidePage({ title, children }: { title: string; children: ReactNode }) {
  usePage(title);
  return (
    <main className={classes.outside}>
      <p className={classes.product}>Infrastructure State Service</p>
      <Paper withBorder p="xl" radius="md">
        <Stack gap="md">
          <Title order={1} size="h2" tabIndex={-1} className={classes.heading}>
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </main>
  );
}
