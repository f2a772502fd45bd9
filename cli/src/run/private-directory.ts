import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that only this user can enter. It goes when the process ends, however it ends short of kill -9. */
export class PrivateDirectory {
  readonly path = mkdtempSync(join(tmpdir(), 'infrastate-'));
  private readonly atExit = (): void => this.erase();

  constructor() {
    chmodSync(this.path, 0o700);
    process.once('exit', this.atExit);
  }

  remove(): void {
    process.off('exit', this.atExit);
    this.erase();
  }

  private erase(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
