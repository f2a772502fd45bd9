import { Link, useLocation } from '@tanstack/react-router';
import classes from './tabs.module.css';

interface TabLinksProps {
  /** accessible name of the navigation */
  name: string;
  /** address that every tab is below */
  base: string;
  tabs: readonly { label: string; to: string }[];
}

/** Links to the pages of one object. The tab of an empty `to` is its first page. */
export function TabLinks({ name, base, tabs }: TabLinksProps) {
  const path = useLocation({ select: (location) => location.pathname.replace(/\/$/, '') });
  return (
    <nav aria-label={name} className={classes.tabs}>
      {tabs.map(({ label, to }) => {
        const target = to === '' ? base : `${base}/${to}`;
        const isCurrent = to === '' ? path === base : path === target || path.startsWith(`${target}/`);
        return (
          <Link
            key={to}
            to={target}
            search={{}}
            className={classes.tab}
            data-current={isCurrent || undefined}
            aria-current={isCurrent ? 'page' : undefined}
            activeOptions={{ exact: true }}
          >
            {label}
          </Link>
        );
      })}
    </nav>
  );
}
