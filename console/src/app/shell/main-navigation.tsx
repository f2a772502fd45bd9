import { Link, useLocation } from '@tanstack/react-router';
import { BASE_PATH } from '../../platform/client';
import { useEntries } from '../../platform/registry';
import { useTenants } from '../../platform/tenant';
import classes from './frame.module.css';

/** The links that areas register, with those of a tenant filled in. */
export function MainNavigation() {
  const { tenant } = useTenants();
  const entries = useEntries('navigation', { tenantId: tenant?.id });
  const path = useLocation({ select: (location) => pathBelowBase(location.pathname) });
  const inTenant = (to: string): string => to.replace('$tenantId', tenant?.id ?? '');
  const links = entries
    .filter(({ to }) => tenant !== undefined || !to.includes('$tenantId'))
    .map(({ label, to, covers = [] }) => ({ label, to: inTenant(to), covers: covers.map(inTenant) }));
  const current = currentOf(path, links);
  return (
    <nav aria-label="Main">
      {links.map(({ label, to }) => (
        <Link
          key={to}
          to={to}
          search={{}}
          className={classes.link}
          activeOptions={{ exact: true }}
          aria-current={to === current ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function pathBelowBase(path: string): string {
  const below = path.startsWith(BASE_PATH) ? path.slice(BASE_PATH.length - 1) : path;
  return below.length > 1 ? below.replace(/\/$/, '') : below;
}

interface CurrentLink {
  to: string;
  covers: readonly string[];
}

/** The entry a page belongs to: the longest address it lies below. */
function currentOf(path: string, links: readonly CurrentLink[]): string | undefined {
  const cover = links.find(({ covers }) => covers.includes(path));
  if (cover) return cover.to;
  const owners = links.filter(({ to }) => path === to || (path.startsWith(`${to}/`) && !isTenantRoot(to)));
  const longest = owners.toSorted((a, b) => b.to.length - a.to.length)[0]?.to;
  if (longest !== undefined) return longest;
  // Pages of one object belong to the list that it is found in.
  const list = /^\/(states|transactions|installations)\//.exec(path)?.[1];
  return list === undefined ? undefined : links.find(({ to }) => to.endsWith(`/${list}`))?.to;
}

/** The dashboard is above every page of its tenant, and is none of them. */
function isTenantRoot(to: string): boolean {
  return /^\/tenants\/[^/]+$/.test(to);
}
