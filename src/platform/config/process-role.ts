/** What this process is for: `api` serves HTTP, `worker` consumes queues, `local` does both. */
export type Role = 'api' | 'worker' | 'local';

/** Injectable form of the role. */
export class ProcessRole {
  constructor(readonly role: Role) {}

  get consumesQueues(): boolean {
    return this.role !== 'api';
  }
}
