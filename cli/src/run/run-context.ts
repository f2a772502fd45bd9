import type { Context } from '../context/context.js';
import type { Calls } from './calls.js';
import type { Interruption } from './interruption.js';
import type { PrivateDirectory } from './private-directory.js';

/** What every step of a run works with. */
export interface RunContext {
  context: Context;
  calls: Calls;
  interruption: Interruption;
  directory: PrivateDirectory;
  /** the directory whose configuration is planned */
  home: string;
  /** hides sensitive values in text that is sent to the service */
  mask: (text: string) => string;
  /** where what terraform says goes */
  show: (text: string) => void;
  /** reading the configuration leaves caches for later runs of this machine */
  hasCaches: boolean;
  /** ends when modules and providers are installed; absent where they were before the run began */
  installed?: Promise<void>;
  /** time from an interruption to SIGKILL for terraform; absent where a person decides how long to wait */
  killAfterMs?: number;
}
