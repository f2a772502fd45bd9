/**
 * A runner stops by itself when its minutes are over. In this time Terraform ends (SIGKILL follows SIGINT after 60 seconds),
 * and the runner stores states and reports what it has.
 */
export const STOPPING_SECONDS = 300;

/** Whole minutes that a runner may work, so that it stops before the service gives the run up. */
export function workingMinutes(timeoutMinutes: number, maxRunSeconds: number): number {
  return Math.max(1, Math.min(timeoutMinutes, Math.floor((maxRunSeconds - STOPPING_SECONDS) / 60)));
}
