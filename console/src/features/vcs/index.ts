export { InstallationTabs } from './installation-tabs';
