export { FormDialog } from './form-dialog';
export { useDialog } from './use-dialog';
