import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { NetworkJudgementEntity } from '../entities/network-judgement.entity.js';
import type { NetworkInstance, ReachabilityVerdict } from '../reachability/reachability.js';
import { REACHABILITY } from '../reachability/reachability-rules.js';
import type { Reach } from './finding-row.js';
import { placeOfRef, refOf, type StoredVerdict, type TenantEstate } from './tenant-estate.js';

interface ReachRow extends StoredVerdict {
  state_id: string;
  key: string;
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
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Judges the tenant's network anew and writes what differs. Answers the refs that differ. A network that is still the one
   * of the stored verdicts is not judged, and the table is read only when another process wrote it.
   */
  async update(tenantId: string, estate: TenantEstate): Promise<Set<string>> {
    const stored = await this.work.manager.findOneBy(NetworkJudgementEntity, { tenantId });
    const remembered = stored?.judgement === estate.judgement?.id ? estate.judgement : undefined;
    if (remembered !== undefined && !estate.isNetworkChanged) return new Set();
    const before = remembered?.verdicts ?? (await this.findVerdicts(tenantId));
    const after = storedVerdictsOf(judgeAll(estate.instances.values()), estate);
    const gone = [...before.keys()].filter((ref) => !after.has(ref));
    const changed = [...after].filter(([ref, verdict]) => !isSame(before.get(ref), verdict));
    await this.delete(gone);
    await this.write(tenantId, estate, changed);
    const judgement = this.secrets.uuid();
    await this.work.manager.upsert(NetworkJudgementEntity, { tenantId, judgement }, ['tenantId']);
    // A rollback leaves the older judgement in the table, and what is remembered here is not used.
    estate.judgement = { id: judgement, verdicts: after };
    estate.isNetworkChanged = false;
    return new Set([...gone, ...changed.map(([ref]) => ref)]);
  }

  private async findVerdicts(tenantId: string): Promise<Map<string, StoredVerdict>> {
    const rows = await this.work.query<ReachRow>(
      'SELECT state_id, key, reachable, evidence, ports FROM security_reach WHERE tenant_id = $1',
      [tenantId],
    );
    return new Map(rows.map(({ state_id: stateId, key, ...verdict }) => [refOf(stateId, key), verdict]));
  }

  /** Of some instances of a state, by key. */
  async findReach(stateId: string, keys: readonly string[]): Promise<Map<string, Reach>> {
    const rows = await this.work.query<ReachRow>(
      'SELECT state_id, key, reachable, evidence, ports FROM security_reach WHERE state_id = $1 AND key = ANY($2::uuid[])',
      [stateId, keys],
    );
    return new Map(rows.map(({ key, reachable, evidence }) => [key, { reachable, evidence }]));
  }

  private async delete(refs: readonly string[]): Promise<void> {
    if (refs.length === 0) return;
    const places = refs.map(placeOfRef);
    await this.work.query(
      'DELETE FROM security_reach WHERE (state_id, key) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))',
      [places.map(({ stateId }) => stateId), places.map(({ key }) => key)],
    );
  }

  private async write(
    tenantId: string,
    { instances }: TenantEstate,
    verdicts: readonly (readonly [ref: string, StoredVerdict])[],
  ): Promise<void> {
    for (let at = 0; at < verdicts.length; at += ROWS_PER_STATEMENT) {
      const part = verdicts.slice(at, at + ROWS_PER_STATEMENT);
      const places = part.map(([ref]) => placeOfRef(ref));
      await this.work.query(
        `INSERT INTO security_reach (tenant_id, state_id, key, address, type, reachable, evidence, ports)
         SELECT $1, w.* FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::text[]) w (state_id)
         WHERE EXISTS (SELECT FROM states s WHERE s.id = w.state_id)
         ON CONFLICT (state_id, key) DO UPDATE SET reachable = EXCLUDED.reachable, evidence = EXCLUDED.evidence,
           ports = EXCLUDED.ports, address = EXCLUDED.address`,
        [
          tenantId,
          places.map(({ stateId }) => stateId),
          places.map(({ key }) => key),
          part.map(([ref]) => instances.get(ref)?.address ?? ''),
          part.map(([ref]) => instances.get(ref)?.type ?? ''),
          part.map(([, { reachable }]) => reachable),
          part.map(([, { evidence }]) => evidence),
          part.map(([, { ports }]) => ports),
        ],
      );
    }
  }
}

export function evidenceOf({ reach, evidence }: ReachabilityVerdict): string | null {
  return reach === 'reachable' && evidence !== undefined ? evidence.slice(0, MAX_EVIDENCE_LENGTH) : null;
}

/** What of the verdicts is stored: that of instances which the rules could decide. */
function storedVerdictsOf(
  verdicts: ReadonlyMap<string, ReachabilityVerdict>,
  { instances }: TenantEstate,
): Map<string, StoredVerdict> {
  const stored = new Map<string, StoredVerdict>();
  for (const [ref, verdict] of verdicts)
    if (verdict.reach !== 'undecided' && instances.has(ref))
      stored.set(ref, {
        reachable: verdict.reach === 'reachable',
        evidence: evidenceOf(verdict),
        ports: verdict.ports ?? null,
      });
  return stored;
}

function isSame(known: StoredVerdict | undefined, verdict: StoredVerdict): boolean {
  return (
    known?.reachable === verdict.reachable &&
    known.evidence === verdict.evidence &&
    known.ports === verdict.ports
  );
}
