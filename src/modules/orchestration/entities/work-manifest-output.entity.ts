import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** A step of a run, without its payload. */
@Entity('work_manifest_outputs')
export class WorkManifestOutputEntity {
  @PrimaryColumn({ name: 'work_manifest_id', type: 'uuid' })
  @ForeignKey('WorkManifestEntity', { onDelete: 'CASCADE' })
  workManifestId: string;
  @PrimaryColumn({ type: 'integer' })
  idx: number;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ type: 'text' })
  step: string;
  @Column({ type: 'text' })
  state: 'success' | 'failure';
  @Column({ name: 'ignore_errors', type: 'boolean', default: false })
  ignoreErrors: boolean;
  @Column({ type: 'text' })
  scope: 'dirspace' | 'run';
  @Column({ type: 'text', nullable: true })
  dir: string | null;
  @Column({ type: 'text', nullable: true })
  workspace: string | null;
  @Column({ type: 'text', nullable: true })
  flow: string | null;
  @Column({ type: 'text', nullable: true })
  subflow: string | null;
}

/** What a step said. It lies apart, so that lists without it never read it. */
@Entity('work_manifest_payloads')
export class WorkManifestPayloadEntity {
  @PrimaryColumn({ name: 'work_manifest_id', type: 'uuid' })
  workManifestId: string;
  @PrimaryColumn({ type: 'integer' })
  idx: number;
  @Column({ type: 'jsonb' })
  payload: Record<string, unknown>;
}
