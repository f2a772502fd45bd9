import { storableText } from '../../../platform/database/storable-text.js';
import type { RepoConfig } from '../../repo-config/index.js';
import type { DriftScheduleEntity } from '../entities/run-artifact.entities.js';

/** What the configuration says of a schedule. */
export type ScheduleFields = Pick<
  DriftScheduleEntity,
  'schedule' | 'tagQuery' | 'isReconciling' | 'windowStart' | 'windowEnd'
>;

/** The schedules of a configuration by name, as they are stored; none when it or its drift is switched off. */
export function schedulesOf({ enabled, drift }: RepoConfig): Map<string, ScheduleFields> {
  if (!enabled || !drift.enabled) return new Map();
  return new Map(
    Object.entries(drift.schedules).map(([name, { schedule, tag_query: tagQuery, reconcile, window }]) => [
      storableText(name),
      {
        schedule,
        tagQuery: storableText(tagQuery),
        isReconciling: reconcile,
        windowStart: window?.start ?? null,
        windowEnd: window?.end ?? null,
      },
    ]),
  );
}

export function isSameSchedule(one: ScheduleFields, other: ScheduleFields): boolean {
  return (
    one.schedule === other.schedule &&
    one.tagQuery === other.tagQuery &&
    one.isReconciling === other.isReconciling &&
    one.windowStart === other.windowStart &&
    one.windowEnd === other.windowEnd
  );
}
