import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Config, ProcessRole } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { describeFailure } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';

const PRESENCE_INTERVAL_MS = 10_000;
const MAX_GAP_SECONDS = 30;

/**
 * Whether heartbeats could arrive during the last $2 seconds. The row is compared with the database's clock alone: the
 * clocks of the API and of the worker may differ.
 */
export const API_WAS_PRESENT = `EXISTS (
  SELECT FROM api_presence a WHERE a.seen_at > now() - make_interval(secs => ${MAX_GAP_SECONDS})
     AND a.since < now() - make_interval(secs => $2))`;

/**
 * No heartbeat arrives while no API process is running, or while the database is away. Each API process records that it
 * is running (`api_presence`). After a gap, and when a process starts, each run that is under way gets the whole time in
 * which its runner must be heard of again.
 */
@Injectable()
export class HeartbeatGrace implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('HeartbeatGrace');
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly process: ProcessRole,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.get('SERVICE_ORCHESTRATION_ENABLED')) return;
    await this.give();
    if (this.process.role === 'worker') return;
    await this.recordPresence();
    this.timer = setInterval(
      () =>
        void this.recordPresence().catch((error: unknown) =>
          this.logger.warn({ msg: 'presence of the API not recorded', ...describeFailure(error) }),
        ),
      PRESENCE_INTERVAL_MS,
    ).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  async recordPresence(): Promise<void> {
    const [row] = await this.work.query<{ isNew: boolean }>(
      `INSERT INTO api_presence AS a (id, since, seen_at) VALUES (1, now(), now())
       ON CONFLICT (id) DO UPDATE SET seen_at = now(),
         since = CASE WHEN a.seen_at < now() - make_interval(secs => ${MAX_GAP_SECONDS}) THEN now() ELSE a.since END
       RETURNING since = now() AS "isNew"`,
    );
    // The run tokens live on, too.
    if (row?.isNew === true) await this.give();
  }

  private async give(): Promise<void> {
    await this.work.query(
      `UPDATE work_manifests SET heartbeat_at = $1 WHERE id IN (
         SELECT id FROM work_manifests WHERE state = 'running' AND heartbeat_at < $1 ORDER BY id FOR UPDATE SKIP LOCKED)`,
      [this.clock.now()],
    );
  }
}
