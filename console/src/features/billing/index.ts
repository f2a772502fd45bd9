export { useBilledColumns } from './billed-columns';
