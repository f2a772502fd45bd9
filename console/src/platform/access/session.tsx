import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import {
  authWhoamiOptions,
  SERVICE_ADDRESS,
  type CurrentUserView,
  serverCapabilitiesOptions,
} from '../client';
import { allows, type Grants, type Need } from './grants';

const SessionContext = createContext<CurrentUserView | undefined>(undefined);

/** Gives everything below it the signed-in user. */
export function SessionProvider({ user, children }: { user: CurrentUserView; children: ReactNode }) {
  return <SessionContext value={user}>{children}</SessionContext>;
}

/** Who is signed in. */
export function useUser(): CurrentUserView {
  const user = useContext(SessionContext);
  if (!user) throw new Error('useUser needs a session');
  return user;
}

export function useGrants(): Grants {
  return useUser().capabilities;
}

/** Whether the signed-in user may do something. */
export function useAllowed(need: Need): boolean {
  return allows(useGrants(), need);
}

/** The current user is asked again when the window is focused: capabilities change while a page is open. */
export const SESSION_QUERY = { ...authWhoamiOptions({ baseUrl: SERVICE_ADDRESS }), staleTime: 60_000 };

export type Flag = 'costs' | 'security' | 'dedicated';

/** The switches of this installation. */
export const flagsQuery = () => ({ ...serverCapabilitiesOptions(), staleTime: Infinity });

/** Which optional features this installation has switched on; none while that is not known. */
export function useFlags(): Record<Flag, boolean> {
  const { data } = useQuery(flagsQuery());
  const isOn = (flag: Flag): boolean => data?.[flag]?.enabled ?? false;
  return { costs: isOn('costs'), security: isOn('security'), dedicated: isOn('dedicated') };
}
