/** The parts of passport-openidconnect 0.1 that are used here; the package has no types of its own. */
declare module 'passport-openidconnect' {
  import type { Strategy as PassportStrategy } from 'passport';

  export type Done = (error: unknown, result?: unknown, more?: unknown) => void;

  export interface StateStore {
    store(request: unknown, context: unknown, state: unknown, meta: unknown, done: Done): void;
    verify(request: unknown, state: unknown, done: Done): void;
  }

  export interface StrategyOptions {
    issuer: string;
    authorizationURL: string;
    tokenURL: string;
    skipUserProfile: boolean;
    clientID: string;
    clientSecret: string;
    callbackURL: string;
    scope: string;
    store: StateStore;
  }

  /** The arity decides what is passed: nine parameters are all of them. */
  export type Verify = (
    issuer: string,
    uiProfile: unknown,
    idProfile: unknown,
    context: unknown,
    idToken: string,
    accessToken: string,
    refreshToken: string | undefined,
    parameters: unknown,
    done: Done,
  ) => void;

  export class Strategy extends PassportStrategy {
    constructor(options: StrategyOptions, verify: Verify);
    name: string;
    protected _oauth2: {
      getOAuthAccessToken(
        code: string,
        parameters: Record<string, string>,
        done: (error: unknown, accessToken?: string, refreshToken?: string, result?: unknown) => void,
      ): void;
    };
    authorizationParams(options: unknown): Record<string, string>;
  }
}
