import { Anchor, type AnchorProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { View } from './search-text';

interface PageLinkProps extends AnchorProps {
  /** address of a page of the console, with its ids filled in */
  to: string;
  search?: View;
  children: ReactNode;
  'aria-label'?: string;
}

/** A link to a page of the console. */
export function PageLink({ to, search, children, ...rest }: PageLinkProps) {
  return (
    <Anchor
      inherit
      {...rest}
      renderRoot={(props) => (
        <Link {...props} to={to} search={search ?? {}} activeOptions={{ exact: true, includeSearch: true }} />
      )}
    >
      {children}
    </Anchor>
  );
}

/**
 * A link to another host: only https, and the host learns nothing of where it was clicked. Underlined, because it
 * stands inside text, where its color alone does not tell it apart.
 */
export function OutsideLink({ href, children }: { href: string; children: ReactNode }) {
  if (!/^https:\/\//i.test(href)) return <>{children}</>;
  return (
    <Anchor href={href} rel="noreferrer" target="_blank" underline="always">
      {children}
    </Anchor>
  );
}
