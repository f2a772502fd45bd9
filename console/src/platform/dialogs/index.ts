export { FormDialog, STAYS } from './form-dialog';
export { SecretDialog } from './secret-dialog';
export { SidePanel } from './side-panel';
export { useDialog } from './use-dialog';
