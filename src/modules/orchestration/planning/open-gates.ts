import { Injectable } from '@nestjs/common';
import { AppError } from '../../../platform/errors/index.js';
import type { HostPlace } from '../../vcs/index.js';
import { type GatePlace, Gates } from '../runs/gates.store.js';
import { exceedsGroups, missingApprovals, remembering } from './gate.rules.js';
import { Permissions } from './permissions.service.js';

export interface OpenGate {
  token: string;
  name: string | null;
  /** for people */
  missing: string;
}

/** Gates of a commit that wait for approvals, with teams and roles as the provider has them at this moment. */
@Injectable()
export class OpenGates {
  constructor(
    private readonly gates: Gates,
    private readonly permissions: Permissions,
  ) {}

  async list(place: HostPlace, commit: GatePlace): Promise<OpenGate[]> {
    const open: OpenGate[] = [];
    const isOneOf = remembering((username, entry) => this.isOneOf(place, username, entry));
    const groups = new Set<string>();
    for (const gate of await this.gates.list(commit)) {
      const missing = exceedsGroups(gate, groups) ?? (await missingApprovals(gate, gate.approvedBy, isOneOf));
      if (missing !== undefined) open.push({ token: gate.token, name: gate.name, missing });
    }
    return open;
  }

  /** A team whose members the provider does not list counts as empty: the gate stays open, and shows its name. */
  private async isOneOf(place: HostPlace, username: string, entry: string): Promise<boolean> {
    try {
      return await this.permissions.isOneOf(place, username, [entry]);
    } catch (error) {
      if (error instanceof AppError && error.id === 'PROVIDER_REFUSED') return false;
      throw error;
    }
  }
}
