import { createContext, useContext } from 'react';
import type { TransactionDetailsView } from '../../platform/client';

export const TransactionContext = createContext<TransactionDetailsView | undefined>(undefined);

/** The transaction whose page this is; for pages below `/transactions/$txId`. */
export function useTransactionOfPage(): TransactionDetailsView {
  const details = useContext(TransactionContext);
  if (!details) throw new Error('a page of a transaction stands inside the frame of its transaction');
  return details;
}
