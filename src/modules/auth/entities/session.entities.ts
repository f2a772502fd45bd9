import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A session that was signed out before its token expires. */
@Entity('ended_sessions')
export class EndedSessionEntity {
  @PrimaryColumn('text')
  id: string;
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}

/** The group rules that a session was begun under. */
@Entity('session_rules')
export class SessionRulesEntity {
  @PrimaryColumn('text', { name: 'session_id' })
  sessionId: string;
  @Column('uuid', { name: 'user_id' })
  userId: string;
  @Column('integer', { name: 'session_epoch' })
  sessionEpoch: number;
  @Column('uuid', { name: 'rule_ids', array: true })
  ruleIds: string[];
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}

/** A sign-in at a provider that was completed, so that it cannot be completed again. */
@Entity('used_login_attempts')
export class UsedLoginAttemptEntity {
  @PrimaryColumn('text')
  id: string;
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}

/** The one row that exists once the installation was set up. */
@Entity('setup_completion')
export class SetupCompletionEntity {
  @PrimaryColumn('boolean')
  id: boolean;
  @Column('timestamptz', { name: 'completed_at' })
  completedAt: Date;
}
