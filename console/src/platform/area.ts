import type { ComponentType } from 'react';
import type { Capability, Flag } from './access';

/** What somebody needs to see an entry. `scope` says where the capability must hold. */
export interface Needs {
  capability?: Capability;
  scope?: 'installation' | 'tenant' | 'state' | 'anywhere';
  flag?: Flag;
}

/** A link of the main navigation. `$tenantId` in its address is the chosen tenant. */
export interface NavigationEntry {
  label: string;
  to: string;
  /** lower ones come first; the areas of the first release use 10, 20, 30 … */
  order: number;
  /** addresses of other pages at which this is the current link */
  covers?: readonly string[];
  needs?: Needs;
}

/** A page. Below `/states/$stateId/` and `/transactions/$txId/` it stands inside the frame of its state or transaction. */
export interface AreaRoute {
  path: string;
  /** loads the component of the page as a part of its own */
  page: () => Promise<ComponentType>;
  /** parts that the page shows, loaded together with it */
  shows?: 'dashboardCards';
  /** true for pages of people who are not signed in */
  isPublic?: boolean;
}

/** A tab of every state, transaction or installation; `to` is the last part of its address. */
export interface Tab {
  label: string;
  to: string;
  order: number;
  needs?: Needs;
}

/** A card of the dashboard; it gets the tenant and has an error boundary of its own. */
export interface DashboardCard {
  title: string;
  order: number;
  card: () => Promise<ComponentType<{ tenantId: string }>>;
  needs?: Needs;
}

/** An entry of the search dialog. */
export interface Command {
  label: string;
  to: string;
  needs?: Needs;
}

/** What a feature adds to the console. `features/<name>/area.ts` exports one as `area`; the build finds it. */
export interface Area {
  navigation?: readonly NavigationEntry[];
  routes?: readonly AreaRoute[];
  stateTabs?: readonly Tab[];
  transactionTabs?: readonly Tab[];
  installationTabs?: readonly Tab[];
  dashboardCards?: readonly DashboardCard[];
  commands?: readonly Command[];
  /** what stands around the pages of a state or a transaction; only one area gives each */
  stateFrame?: () => Promise<ComponentType>;
  transactionFrame?: () => Promise<ComponentType>;
}
