import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Category, Severity } from '../engine/check.js';
import type { Condition } from '../engine/condition.js';

@Entity('security_custom_checks')
export class CustomCheckEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @PrimaryColumn('text', { name: 'check_id' })
  checkId: string;
  @Column('text')
  title: string;
  @Column('text')
  severity: Severity;
  @Column('text')
  category: Category;
  @Column('text', { name: 'resource_types', array: true })
  resourceTypes: string[];
  /** condition `when` */
  @Column('jsonb', { nullable: true })
  applies: Condition | null;
  @Column('jsonb')
  fail: Condition;
  @Column('text', { nullable: true })
  remediation: string | null;
  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
  @Column('uuid', { name: 'updated_by', nullable: true })
  updatedBy: string | null;
}
