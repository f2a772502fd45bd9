/** A program that leads a process group, and everything that it starts there. */
export class ProcessGroup {
  private killing: NodeJS.Timeout | undefined;

  /** `leader` is undefined when the program could not be started. */
  constructor(private readonly leader: number | undefined) {}

  /** Sends SIGINT now, and SIGKILL after `killAfterMs`; without a limit the group may take as long as it needs. */
  stop(killAfterMs: number | undefined, onKilled: () => void = () => undefined): void {
    this.signal('SIGINT');
    if (killAfterMs === undefined) return;
    this.killing ??= setTimeout(() => {
      this.signal('SIGKILL');
      onKilled();
    }, killAfterMs);
  }

  /** The program has ended: nothing is killed any more. */
  forget(): void {
    clearTimeout(this.killing);
  }

  private signal(signal: NodeJS.Signals): void {
    if (this.leader === undefined) return;
    try {
      process.kill(-this.leader, signal);
    } catch {
      // It has ended.
    }
  }
}
