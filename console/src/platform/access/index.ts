export {
  allows,
  CAPABILITIES,
  type Capability,
  type Grants,
  isUnscoped,
  type Need,
  type Scope,
} from './grants';
export {
  type Flag,
  flagsQuery,
  SESSION_QUERY,
  SessionProvider,
  useAllowed,
  useFlags,
  useGrants,
  useUser,
} from './session';
