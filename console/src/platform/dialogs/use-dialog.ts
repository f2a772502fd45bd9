import { useState } from 'react';

/** Which object a dialog is open for. */
export function useDialog<T = true>(): {
  subject: T | undefined;
  open: (subject: T) => void;
  close: () => void;
} {
  const [subject, setSubject] = useState<T>();
  return { subject, open: (next) => setSubject(() => next), close: () => setSubject(undefined) };
}
