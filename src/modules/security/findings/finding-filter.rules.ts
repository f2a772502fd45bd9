import { httpErrors } from '../../../platform/errors/index.js';
import type { ListTenantFindingsQuery } from '../dto/security.dto.js';
import { SEVERITIES } from '../engine/check.js';
import { RANKS, UNKNOWN_RANK } from './effective-severity.rules.js';

export type StatusFilter = 'open' | 'suppressed' | 'resolved' | 'all';

export interface FindingFilter {
  /** effective ranks; undefined: all */
  readonly severities: readonly number[] | undefined;
  /** our id; an id that no check has matches nothing */
  readonly checkId: string | undefined;
  readonly reachable: boolean | undefined;
  readonly status: StatusFilter;
  readonly stateId: string | undefined;
}

/** Which findings are listed: of one state, or of a tenant. */
export type FindingPlace = { stateId: string } | { tenantId: string };

export function filterOf(query: ListTenantFindingsQuery, ourId: (id: string) => string): FindingFilter {
  return {
    severities: severitiesOf(query.severity),
    checkId: query.check_id === undefined ? undefined : ourId(query.check_id),
    reachable: query.reachable === undefined ? undefined : query.reachable === 'true',
    status: (query.status ?? 'open') as StatusFilter,
    stateId: query.state_id,
  };
}

function severitiesOf(value: unknown): number[] | undefined {
  if (value === undefined) return undefined;
  const given: unknown[] = Array.isArray(value) ? value : [value];
  const names = given.flatMap((item) => (typeof item === 'string' ? item.split(',') : ['']));
  return names.map((name) => {
    const severity = SEVERITIES.find((one) => one === name.trim());
    if (severity !== undefined) return RANKS[severity];
    if (name.trim() === 'unknown') return UNKNOWN_RANK;
    throw httpErrors.INVALID_REQUEST(`severity must be one of ${SEVERITIES.join(', ')}, unknown`);
  });
}
