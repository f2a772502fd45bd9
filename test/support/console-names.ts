/** What a page is called, and what stands on it under which role and name, for people who do not see it. */
interface PageNames {
  /** the first part of the title */
  title: string;
  /** beginnings of lines of the accessibility snapshot */
  has: readonly string[];
}

const page = (title: string, ...has: string[]): PageNames => ({ title, has });
const STATE_TABS = 'navigation "State"';
const TX_TABS = 'navigation "Transaction"';

/** On every page of somebody who is signed in, on a wide screen. */
export const FRAME_NAMES: readonly string[] = [
  'link "Skip to content"',
  'banner',
  'button "Tenant: ',
  'button "Search',
  'button "Color scheme"',
  'button "Account: ',
  'navigation "Main"',
  'main',
];

/** Links of the main navigation that every administrator has, in order. */
export const MAIN_LINKS: readonly string[] = [
  'Dashboard',
  'States',
  'Transactions',
  'SQL',
  'Members',
  'API keys',
  'Audit',
  'Users',
  'Settings',
  'API reference',
];

export const STATE_LINKS: readonly string[] = [
  'Overview',
  'Instances',
  'Modules',
  'Outputs',
  'Versions',
  'Submissions',
  'Graph',
  'Connect',
  'Settings',
];

/** Names of pages by their route. */
export const PAGE_NAMES: Readonly<Record<string, PageNames>> = {
  '/tenants/$tenantId': page('Dashboard', 'table "Recent transactions"'),
  '/tenants/$tenantId/states': page('States', 'table "States"', 'textbox "Filter"', 'button "New state"'),
  '/tenants/$tenantId/transactions': page(
    'Transactions',
    'table "Transactions"',
    'textbox "From"',
    'textbox "To"',
  ),
  '/tenants/$tenantId/members': page('Members', 'table "Members"', 'button "Invite"'),
  '/tenants/$tenantId/invitations': page('Invitations', 'table "Invitations"'),
  '/tenants/$tenantId/group-rules': page('Group rules', 'table "Group rules"'),
  '/tenants/$tenantId/audit': page('Audit', 'table "Audit"'),
  '/tenants/$tenantId/settings': page('Tenant settings'),
  '/states/$stateId': page('Overview', STATE_TABS),
  '/states/$stateId/instances': page('Instances', STATE_TABS, 'table "Instances"', 'combobox "Filter"'),
  '/states/$stateId/modules': page('Modules', STATE_TABS, 'table "Modules"'),
  '/states/$stateId/outputs': page('Outputs', STATE_TABS, 'table "Outputs"'),
  '/states/$stateId/versions': page(
    'Versions',
    STATE_TABS,
    'table "Versions"',
    'button "Restore',
    'link "Compare',
  ),
  '/states/$stateId/versions/$from/diff/$to': page('Compare', STATE_TABS, 'table "Changed instances"'),
  '/states/$stateId/submissions': page('Submissions', STATE_TABS),
  '/states/$stateId/graph': page(
    'Graph',
    STATE_TABS,
    'textbox "Instance"',
    'combobox "Depth"',
    'combobox "Direction"',
    'switch "Blast radius"',
    'img "Dependency graph"',
    'table "Instances in view"',
  ),
  '/states/$stateId/connect': page('Connect', STATE_TABS, 'button "Copy"'),
  '/states/$stateId/settings': page('Settings', STATE_TABS, 'button "Delete state"'),
  '/transactions/$txId': page('Plan', TX_TABS, 'table "Plan operations"'),
  '/transactions/$txId/output': page('Output', TX_TABS),
  '/transactions/$txId/log': page('Log', TX_TABS, 'table "Log"'),
  '/transactions/$txId/conflicts': page('Conflicts', TX_TABS),
  '/sql': page('SQL', 'textbox "Query"', 'button "Run"', 'list "History"', 'list "Examples"'),
  '/keys': page('API keys', 'table "API keys"', 'button "New API key"', 'button "Revoke'),
  '/users': page('Users', 'table "Users"', 'button "New user"'),
  '/audit': page('Audit of the installation', 'table "Audit"'),
  '/settings': page(
    'Settings',
    'textbox "Current password"',
    'textbox "New password"',
    'button "Change password"',
  ),
  '/reference': page('API reference'),
  '/login': page('Sign in', 'main', 'textbox "Email"', 'textbox "Password"', 'button "Sign in"'),
};

/** What of the names is missing in an accessibility snapshot. */
export function missingNames(snapshot: string, names: readonly string[]): string[] {
  const lines = snapshot.split('\n').map((line) => line.trimStart().replace(/^- '?/, ''));
  return names.filter((name) => !lines.some((line) => line.startsWith(name)));
}
