import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';

/**
 * No heartbeat arrives while the service is down. When a process of the service starts, each run that is under way gets
 * the whole time in which its runner must be heard of again.
 */
@Injectable()
export class HeartbeatGrace implements OnApplicationBootstrap {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.get('SERVICE_ORCHESTRATION_ENABLED')) return;
    await this.work.query(
      `UPDATE work_manifests SET heartbeat_at = $1 WHERE id IN (
         SELECT id FROM work_manifests WHERE state = 'running' AND heartbeat_at < $1 ORDER BY id FOR UPDATE SKIP LOCKED)`,
      [this.clock.now()],
    );
  }
}
