import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useReturnedFocus } from './use-returned-focus';

interface SidePanelProps {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** What one row of a list is about, beside the list. Closing gives the focus back to what opened it. */
export function SidePanel({ title, onClose, children }: SidePanelProps) {
  useReturnedFocus();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="min(46rem, 100%)"
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Drawer>
  );
}
