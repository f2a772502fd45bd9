export { FormDialog, STAYS } from './form-dialog';
export { SidePanel } from './side-panel';
export { useDialog } from './use-dialog';
