import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { NetworkInstance, ReachabilityVerdict } from '../reachability/reachability.js';
import { REACHABILITY } from '../reachability/reachability-rules.js';
import type { Reach } from './finding-row.js';
import { type EstateInstance, refOf, type TenantEstate } from './tenant-estate.js';

interface ReachRow {
  state_id: string;
  key: string;
  reachable: boolean;
  evidence: string | null;
  ports: string | null;
}

const MAX_EVIDENCE_LENGTH = 2_000;
const ROWS_PER_STATEMENT = 5_000;
const TYPES = new Set(REACHABILITY.flatMap(({ types }) => types));

export function isNetworkType(type: string): boolean {
  return TYPES.has(type);
}

/** What all rules say of the instances of a tenant, by ref. */
export function judgeAll(instances: Iterable<NetworkInstance>): Map<string, ReachabilityVerdict> {
  const list = [...instances];
  const verdicts = new Map<string, ReachabilityVerdict>();
  for (const { types, judge } of REACHABILITY) {
    const wanted = new Set(types);
    const own = list.filter(({ type }) => wanted.has(type));
    if (own.length === 0) continue;
    for (const verdict of judge(own)) verdicts.set(verdict.ref, verdict);
  }
  return verdicts;
}

/** Table `security_reach`: the verdicts as they were last written, by which changes are told. */
@Injectable()
export class ReachStore {
  constructor(private readonly work: UnitOfWork) {}

  /** Judges the tenant's network anew and writes what differs. Answers the refs that differ. */
  async update(tenantId: string, estate: TenantEstate): Promise<Set<string>> {
    const verdicts = judgeAll(estate.instances.values());
    const stored = await this.work.query<ReachRow>(
      'SELECT state_id, key, reachable, evidence, ports FROM security_reach WHERE tenant_id = $1',
      [tenantId],
    );
    const differing = new Set<string>();
    const gone: ReachRow[] = [];
    for (const row of stored) {
      const ref = refOf(row.state_id, row.key);
      const verdict = verdicts.get(ref);
      const instance = estate.instances.get(ref);
      if (verdict === undefined || verdict.reach === 'undecided' || instance === undefined) {
        gone.push(row);
        differing.add(ref);
      } else if (isSame(row, verdict)) verdicts.delete(ref);
    }
    const written: { instance: EstateInstance; verdict: ReachabilityVerdict }[] = [];
    for (const [ref, verdict] of verdicts) {
      const instance = estate.instances.get(ref);
      if (verdict.reach === 'undecided' || instance === undefined) continue;
      written.push({ instance, verdict });
      differing.add(ref);
    }
    await this.delete(gone);
    await this.write(tenantId, written);
    return differing;
  }

  /** Of some instances of a state, by key. */
  async findReach(stateId: string, keys: readonly string[]): Promise<Map<string, Reach>> {
    const rows = await this.work.query<ReachRow>(
      'SELECT state_id, key, reachable, evidence, ports FROM security_reach WHERE state_id = $1 AND key = ANY($2::uuid[])',
      [stateId, keys],
    );
    return new Map(rows.map(({ key, reachable, evidence }) => [key, { reachable, evidence }]));
  }

  private async delete(rows: readonly ReachRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.work.query(
      'DELETE FROM security_reach WHERE (state_id, key) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))',
      [rows.map((row) => row.state_id), rows.map((row) => row.key)],
    );
  }

  private async write(
    tenantId: string,
    rows: readonly { instance: EstateInstance; verdict: ReachabilityVerdict }[],
  ): Promise<void> {
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      const part = rows.slice(at, at + ROWS_PER_STATEMENT);
      await this.work.query(
        `INSERT INTO security_reach (tenant_id, state_id, key, address, type, reachable, evidence, ports)
         SELECT $1, w.* FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::text[]) w (state_id)
         WHERE EXISTS (SELECT FROM states s WHERE s.id = w.state_id)
         ON CONFLICT (state_id, key) DO UPDATE SET reachable = EXCLUDED.reachable, evidence = EXCLUDED.evidence,
           ports = EXCLUDED.ports, address = EXCLUDED.address`,
        [
          tenantId,
          part.map(({ instance }) => instance.stateId),
          part.map(({ instance }) => instance.key),
          part.map(({ instance }) => instance.address),
          part.map(({ instance }) => instance.type),
          part.map(({ verdict }) => verdict.reach === 'reachable'),
          part.map(({ verdict }) => evidenceOf(verdict)),
          part.map(({ verdict }) => verdict.ports ?? null),
        ],
      );
    }
  }
}

export function evidenceOf({ reach, evidence }: ReachabilityVerdict): string | null {
  return reach === 'reachable' && evidence !== undefined ? evidence.slice(0, MAX_EVIDENCE_LENGTH) : null;
}

function isSame(row: ReachRow, verdict: ReachabilityVerdict): boolean {
  return (
    row.reachable === (verdict.reach === 'reachable') &&
    row.evidence === evidenceOf(verdict) &&
    row.ports === (verdict.ports ?? null)
  );
}
