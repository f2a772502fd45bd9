import { Column, Entity, PrimaryColumn } from 'typeorm';

export type TaskState = 'pending' | 'running' | 'completed' | 'failed' | 'aborted';

/** Work that outlives its request; the row is the truth, the queue only wakes workers. */
@Entity('tasks')
export class TaskEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('text')
  kind: string;
  @Column('text')
  state: TaskState;
  @Column('uuid', { name: 'tenant_id', nullable: true })
  tenantId: string | null;
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy: string | null;
  @Column('jsonb')
  payload: unknown;
  @Column('integer')
  attempts: number;
  @Column('bigint', { nullable: true })
  done: string | null;
  @Column('bigint', { nullable: true })
  total: string | null;
  @Column('text', { nullable: true })
  message: string | null;
  @Column('text', { nullable: true })
  error: string | null;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt: Date | null;
  @Column('timestamptz', { name: 'seen_at', nullable: true })
  seenAt: Date | null;
  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt: Date | null;
}

/** A fragment of the result of a task. */
@Entity('task_results')
export class TaskResultEntity {
  @PrimaryColumn('uuid', { name: 'task_id' })
  taskId: string;
  @PrimaryColumn('integer')
  idx: number;
  @Column('text')
  data: string;
}
