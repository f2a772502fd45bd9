export { type Crumb, Page, PageHeading } from './page';
export { TabLinks } from './tabs';
export { usePage } from './use-page';
export { OutsidePage } from './outside-page';
