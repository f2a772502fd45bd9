export { isActive } from './statuses';
export { useTransactionOfPage } from './transaction-context';
