import { createContext, useContext } from 'react';
import type { StateView } from '../../platform/client';

export const StateContext = createContext<StateView | undefined>(undefined);

/** The state whose page this is; for pages below `/states/$stateId`. */
export function useStateOfPage(): StateView {
  const state = useContext(StateContext);
  if (!state) throw new Error('a page of a state stands inside the frame of its state');
  return state;
}
