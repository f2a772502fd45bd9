import type { StateView } from './dto/state.dto.js';
import type { SubmissionView, StateVersionView, TenantSubmissionView } from './dto/version.dto.js';
import type { WriteView } from './dto/write.dto.js';
import type { VersionOrigin } from './entities/state-version.entity.js';
import type { StateEntity } from './entities/state.entity.js';
import type { WriteOutcome } from './writing/state-write.js';
import type { VersionRow } from './states.queries.js';
import type { SubmissionRow, TenantSubmissionRow } from './submission.queries.js';

/** What is stored beside the state itself. */
export type StateNumbers = Pick<StateView, 'instances' | 'resources' | 'lock'>;

export function toStateView(state: StateEntity, numbers: StateNumbers): StateView {
  return {
    id: state.id,
    name: state.name,
    group_id: state.groupId,
    workspace: state.workspace,
    created_at: state.createdAt.toISOString(),
    tenant_id: state.tenantId,
    serial: state.serial,
    lineage: state.lineage,
    updated_at: state.updatedAt.toISOString(),
    version: state.version,
    format: state.format,
    ...(state.terraformVersion === null ? {} : { terraform_version: state.terraformVersion }),
    ...(state.graphError === null ? {} : { graph_error: state.graphError }),
    ...numbers,
  };
}

export function toVersionView(row: VersionRow): StateVersionView {
  return {
    version: row.version,
    serial: Number(row.serial),
    lineage: row.lineage,
    size: Number(row.size),
    origin: row.origin as VersionOrigin,
    tx_id: row.tx_id,
    created_at: row.created_at.toISOString(),
    ...(row.created_by === null ? {} : { created_by: row.created_by }),
    ...(row.created_by_name === null ? {} : { created_by_name: row.created_by_name }),
  };
}

export function toSubmissionView(row: SubmissionRow): SubmissionView {
  return {
    id: row.id,
    status: row.status,
    serial: Number(row.serial),
    created_at: row.created_at.toISOString(),
    conflicts_with: row.conflicts_with,
    ...(row.base_version === null ? {} : { base_version: row.base_version }),
    ...(row.created_by === null ? {} : { created_by: row.created_by }),
    ...(row.resulting_serial === null ? {} : { resulting_serial: Number(row.resulting_serial) }),
  };
}

export function toTenantSubmissionView(row: TenantSubmissionRow): TenantSubmissionView {
  return {
    ...toSubmissionView(row),
    state_id: row.state_id,
    state_name: row.state_name,
    ...(row.created_by_name === null ? {} : { created_by_name: row.created_by_name }),
  };
}

export function toWriteView(outcome: WriteOutcome): WriteView {
  return {
    state_id: outcome.stateId,
    serial: outcome.serial,
    version: outcome.version,
    result: outcome.result,
    tx_id: outcome.txId,
  };
}
