export { InstallationTabs } from './installation-tabs';
export { providerOf } from './provider';
