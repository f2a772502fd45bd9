import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './page.module.css';
import { usePage } from './use-page';

export interface Crumb {
  label: string;
  to: string;
}

interface PageProps {
  /** the h1, and the first part of the title */
  title: string;
  object?: string;
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its one heading. */
export function Page({ title, object, crumbs, actions, children }: PageProps) {
  usePage(title, object);
  return (
    <Stack gap="md">
      <PageHeading title={title} crumbs={crumbs} actions={actions} />
      {children}
    </Stack>
  );
}

/** Breadcrumbs, the h1 and what can be done with the object. */
export function PageHeading({
  title,
  crumbs = [],
  actions,
}: Pick<PageProps, 'title' | 'crumbs' | 'actions'>) {
  return (
    <div>
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumbs">
          <Breadcrumbs separatorMargin={6} className={classes.crumbs}>
            {crumbs.map((crumb) => (
              <Anchor
                key={crumb.to}
                size="sm"
                truncate
                renderRoot={(props) => <Link {...props} to={crumb.to} />}
              >
                {crumb.label}
              </Anchor>
            ))}
            <Text size="sm" c="dimmed" truncate component="span">
              {title}
            </Text>
          </Breadcrumbs>
        </nav>
      )}
      <Group justify="space-between" align="center" gap="sm">
        <Title order={1} size="h2" tabIndex={-1} className={classes.heading}>
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    </div>
  );
}
