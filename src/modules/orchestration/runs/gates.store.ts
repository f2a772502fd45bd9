import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { GateApprovalEntity, GateEntity } from '../entities/gate.entities.js';

export interface GatePlace {
  repositoryId: string;
  pullNumber: number;
  sha: string;
}
export type NewGate = Pick<GateEntity, 'token' | 'name' | 'allOf' | 'anyOf' | 'anyOfCount' | 'addReviewers'>;
export interface GateWithApprovals extends GateEntity {
  approvedBy: string[];
}

/** Tables `gates` and `gate_approvals`. A gate counts for the commit that it was made for. */
@Injectable()
export class Gates {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
  ) {}

  /** A gate that is asked for again keeps its approvals. */
  async open(place: GatePlace, gates: readonly NewGate[]): Promise<void> {
    for (const gate of gates)
      await this.work.manager
        .createQueryBuilder()
        .insert()
        .into(GateEntity)
        .values({ ...place, ...gate, id: this.secrets.uuid(), createdAt: this.clock.now() })
        .orIgnore()
        .execute();
  }

  async list({ repositoryId, pullNumber, sha }: GatePlace): Promise<GateWithApprovals[]> {
    const gates = await this.work.manager.find(GateEntity, {
      where: { repositoryId, pullNumber, sha },
      order: { createdAt: 'ASC', token: 'ASC' },
    });
    const approvals = await this.work.manager.findBy(GateApprovalEntity, {
      gateId: In(gates.map(({ id }) => id)),
    });
    return gates.map((gate) => ({
      ...gate,
      approvedBy: approvals.filter(({ gateId }) => gateId === gate.id).map(({ username }) => username),
    }));
  }

  /** False when the commit has no such gate. */
  async approve(
    place: GatePlace,
    token: string,
    by: { username: string; commentId: string },
  ): Promise<boolean> {
    const gate = await this.work.manager.findOneBy(GateEntity, { ...place, token });
    if (!gate) return false;
    await this.work.manager
      .createQueryBuilder()
      .insert()
      .into(GateApprovalEntity)
      .values({ gateId: gate.id, ...by, createdAt: this.clock.now() })
      .orIgnore()
      .execute();
    return true;
  }
}
