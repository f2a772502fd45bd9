import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { View } from './search-text';

/** Goes to another page, once: the router's own component goes again with every change of the address. */
export function GoTo({ to, search = {} }: { to: string; search?: View }) {
  const navigate = useNavigate();
  const target = useRef({ to, search });
  useEffect(() => {
    void navigate({ ...target.current, replace: true });
  }, [navigate]);
  return null;
}
