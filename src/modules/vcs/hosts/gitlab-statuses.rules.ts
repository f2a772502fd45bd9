import type { CommitStatus } from './code-host.js';
import { toStatus } from './gitlab-mapping.rules.js';
import { idAt, numberAt, wordAt } from './json-fields.js';

/** A status of a commit: a job of a pipeline, or one that somebody has posted. */
export interface SourcedStatus {
  id: number;
  /** name and ref: the same job in pipelines of two refs is two */
  key: string;
  /** GitLab puts posted statuses into a pipeline, too; undefined: an old server does not say */
  pipelineId: string | undefined;
  status: CommitStatus;
}

/** What is known of the pipelines on a commit. */
export interface PipelineJobs {
  /** ids of pipelines whose jobs were read */
  pipelines: ReadonlySet<string>;
  /** ids of their jobs */
  jobs: ReadonlySet<string>;
}

export function toSourcedStatus(json: unknown): SourcedStatus | undefined {
  const status = toStatus(json);
  if (!status) return undefined;
  return {
    id: numberAt(json, 'id') ?? 0,
    key: JSON.stringify([status.context, wordAt(json, 'ref')]),
    pipelineId: idAt(json, 'pipeline_id'),
    status,
  };
}

/** Those that have not succeeded, and those that may hide one of them. */
export function contested(statuses: readonly SourcedStatus[]): SourcedStatus[] {
  const failing = new Set(statuses.filter(isOpen).map(({ key }) => key));
  return statuses.filter(({ key }) => failing.has(key));
}

/** Pipelines that say whether a success is of the same kind as the failure that it would hide; newest first. */
export function pipelinesToRead(statuses: readonly SourcedStatus[]): string[] {
  const ids = new Set<string>();
  for (const { pipelineId } of disputed(statuses)) if (pipelineId !== undefined) ids.add(pipelineId);
  return [...ids].toSorted((one, other) => Number(other) - Number(one));
}

/** The newest of each name, ref and kind: a status that somebody posts hides no job of this name, nor a job a status. */
export function newestOfEach(statuses: readonly SourcedStatus[], known: PipelineJobs): CommitStatus[] {
  const inDispute = new Set(disputed(statuses));
  const newest = new Map<string, SourcedStatus>();
  for (const one of statuses) {
    const key = JSON.stringify([one.key, inDispute.has(one) ? kindOf(one, known) : 'any']);
    const before = newest.get(key);
    if (!before || before.id <= one.id) newest.set(key, one);
  }
  return [...newest.values()].map(({ status }) => status);
}

export function isOpen({ status }: SourcedStatus): boolean {
  return status.state !== 'success';
}

/** Some of a name and ref have succeeded, others have not. */
function disputed(statuses: readonly SourcedStatus[]): SourcedStatus[] {
  const succeeded = new Set(statuses.filter((one) => !isOpen(one)).map(({ key }) => key));
  return contested(statuses).filter(({ key }) => succeeded.has(key));
}

/** What is in a pipeline that was not read hides nothing. */
function kindOf({ id, pipelineId }: SourcedStatus, { pipelines, jobs }: PipelineJobs): string {
  if (jobs.has(String(id))) return 'job';
  return pipelineId === undefined || pipelines.has(pipelineId) ? 'posted' : `unread ${id}`;
}
