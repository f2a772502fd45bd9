import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which judgement of a tenant's network the stored verdicts come from. */
@Entity('security_judgements')
export class NetworkJudgementEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  /** new whenever the network is judged */
  @Column('uuid')
  judgement: string;
}
