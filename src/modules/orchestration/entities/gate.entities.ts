import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** An approval that a run asked for. It belongs to the commit. */
@Entity('gates')
export class GateEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;
  @Column({ name: 'repository_id', type: 'uuid' })
  repositoryId: string;
  @Column({ name: 'pull_number', type: 'integer' })
  pullNumber: number;
  @Column({ type: 'text' })
  sha: string;
  @Column({ type: 'text' })
  token: string;
  @Column({ type: 'text', nullable: true })
  name: string | null;
  @Column({ name: 'all_of', type: 'text', array: true })
  allOf: string[];
  @Column({ name: 'any_of', type: 'text', array: true })
  anyOf: string[];
  @Column({ name: 'any_of_count', type: 'integer' })
  anyOfCount: number;
  /** people who are asked for a review */
  @Column({ name: 'add_reviewers', type: 'text', array: true, default: [] })
  addReviewers: string[];
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}

@Entity('gate_approvals')
export class GateApprovalEntity {
  @PrimaryColumn({ name: 'gate_id', type: 'uuid' })
  @ForeignKey('GateEntity', { onDelete: 'CASCADE' })
  gateId: string;
  @PrimaryColumn({ type: 'text' })
  username: string;
  @Column({ name: 'comment_id', type: 'text' })
  commentId: string;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}

/** A comment that was a command; each is answered once. */
@Entity('comment_commands')
export class CommentCommandEntity {
  @PrimaryColumn({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  @PrimaryColumn({ name: 'comment_id', type: 'text' })
  commentId: string;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  /** its effect took place; the answer may come much later */
  @Column({ name: 'carried_out_at', type: 'timestamptz', nullable: true })
  carriedOutAt: Date | null;
  @Column({ name: 'answered_at', type: 'timestamptz', nullable: true })
  answeredAt: Date | null;
}
