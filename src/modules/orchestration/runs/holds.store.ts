import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { DirspaceHoldEntity } from '../entities/dirspace-lock.entities.js';

export interface HeldPlace {
  repositoryId: string;
  pullNumber: number;
}
interface Dirspace {
  dir: string;
  workspace: string;
}

/** Table `dirspace_holds`: rows, never computed from what has run. */
@Injectable()
export class Holds {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Holds all of the dirspaces for the pull request, or none: then answers the holds of others that stand in the way.
   * Call it in the transaction that creates the apply.
   */
  async acquire(
    { repositoryId, pullNumber }: HeldPlace,
    dirspaces: readonly Dirspace[],
    by: string | null,
  ): Promise<DirspaceHoldEntity[]> {
    const sorted = dirspaces.toSorted((a, b) => (a.dir + a.workspace < b.dir + b.workspace ? -1 : 1));
    await this.work.query(
      `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number, username, created_at)
       SELECT $1, d.dir, d.workspace, $2, $3, $4 FROM unnest($5::text[], $6::text[]) AS d (dir, workspace)
       ON CONFLICT (repository_id, dir, workspace) DO NOTHING`,
      [
        repositoryId,
        pullNumber,
        by,
        this.clock.now(),
        sorted.map(({ dir }) => dir),
        sorted.map(({ workspace }) => workspace),
      ],
    );
    const held = await this.of(repositoryId, dirspaces);
    return held.filter((hold) => hold.pullNumber !== pullNumber);
  }

  async of(repositoryId: string, dirspaces: readonly Dirspace[]): Promise<DirspaceHoldEntity[]> {
    const holds = await this.work.manager.findBy(DirspaceHoldEntity, { repositoryId });
    return holds.filter((hold) =>
      dirspaces.some(({ dir, workspace }) => dir === hold.dir && workspace === hold.workspace),
    );
  }

  /** Answers how many were released. */
  async release({ repositoryId, pullNumber }: HeldPlace): Promise<number> {
    const { affected } = await this.work.manager.delete(DirspaceHoldEntity, { repositoryId, pullNumber });
    return affected ?? 0;
  }
}
