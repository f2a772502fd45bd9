export { isActive } from './statuses';
export { useTransactionOfPage } from './transaction-context';
export { PrintedOutput } from './printed-output';
