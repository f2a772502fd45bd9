export { FormDialog, STAYS } from './form-dialog';
export { useDialog } from './use-dialog';
