export { client } from './generated/client.gen';
export * from './generated/@tanstack/react-query.gen';
export * from './generated/sdk.gen';
export type * from './generated/types.gen';
export { ApiFailure, isPassing, objectWithId } from './failure';
export { isLosslessNumber, parseLossless, stringifyLossless, textOf } from './lossless';
export { BY_CURSOR, BY_PAGE_TOKEN } from './pages';
export { createQueryClient, forgetSession } from './query-client';
export {
  AS_TEXT,
  BASE_PATH,
  connectService,
  EDITION,
  lossless,
  losslessly,
  mayBeSignedIn,
  SERVICE_ADDRESS,
  serviceNow,
  SIGN_IN_FAILURE,
} from './service';
