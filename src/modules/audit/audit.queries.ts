import { Injectable } from '@nestjs/common';
import { Brackets, In, type SelectQueryBuilder } from 'typeorm';
import { rowsOfPage, type SizedRow, UnitOfWork } from '../../platform/database/index.js';
import { DEFAULT_CURSOR_LIMIT } from '../../platform/http/cursor-page.js';
import { decodePosition, encodePageToken } from '../../platform/http/index.js';
import { timeBound } from '../../platform/time/time-bound.rules.js';
import type { AuditPageView, AuditEntryView, ListAuditQuery } from './dto/audit.dto.js';
import { AuditEntryEntity } from './entities/audit-entry.entity.js';

interface EntryKeyRow extends SizedRow {
  id: string;
}

@Injectable()
export class AuditQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** Newest first. */
  async list(query: ListAuditQuery, tenantId?: string): Promise<AuditPageView> {
    const limit = query.limit ?? DEFAULT_CURSOR_LIMIT;
    const matching = this.matching(query, tenantId);
    const total = await matching.getCount();
    if (query.cursor !== undefined)
      matching.andWhere('entry.id < :after', {
        after: decodePosition(query.cursor, Number.MAX_SAFE_INTEGER, 'cursor'),
      });
    const keys = await matching
      .select('entry.id', 'id')
      .addSelect('octet_length(entry.data::text) + 512', 'row_bytes')
      .orderBy('entry.id', 'DESC')
      .limit(limit + 1)
      .getRawMany<EntryKeyRow>();
    const shown = rowsOfPage(keys, limit);
    const last = shown.at(-1);
    const hasMore = keys.length > shown.length && last !== undefined;
    return {
      entries: await this.entriesOf(shown.map(({ id }) => id)),
      total_count: total,
      limit,
      has_more: hasMore,
      next_cursor: hasMore ? encodePageToken([Number(last.id)]) : null,
    };
  }

  private async entriesOf(ids: readonly string[]): Promise<AuditEntryView[]> {
    const entries = await this.work.manager.find(AuditEntryEntity, {
      where: { id: In(ids) },
      order: { id: 'DESC' },
    });
    return entries.map(toEntryView);
  }

  private matching(
    query: ListAuditQuery,
    tenantId: string | undefined,
  ): SelectQueryBuilder<AuditEntryEntity> {
    const { actor, action, from, to } = query;
    const entries = this.work.manager
      .createQueryBuilder(AuditEntryEntity, 'entry')
      .where(new Brackets((all) => all.where('true')));
    if (tenantId !== undefined) entries.andWhere('entry.tenant_id = :tenantId', { tenantId });
    if (actor !== undefined) entries.andWhere('entry.actor_id = :actor', { actor });
    if (action?.endsWith('*'))
      entries.andWhere('starts_with(entry.action, :prefix)', { prefix: action.slice(0, -1) });
    else if (action !== undefined) entries.andWhere('entry.action = :action', { action });
    const [earliest, latest] = [timeBound('from', from), timeBound('to', to)];
    if (earliest !== null) entries.andWhere('entry.created_at >= :earliest', { earliest });
    // Times are shown in milliseconds and kept in microseconds.
    if (latest !== null)
      entries.andWhere(
        "entry.created_at < date_trunc('milliseconds', CAST(:latest AS timestamptz)) + interval '1 ms'",
        { latest },
      );
    return entries;
  }
}

function toEntryView(entry: AuditEntryEntity): AuditEntryView {
  return {
    id: entry.id,
    created_at: entry.createdAt.toISOString(),
    ...(entry.actorId === null
      ? {}
      : {
          actor: {
            id: entry.actorId,
            name: entry.actorName ?? '',
            ...(entry.credential === null ? {} : { credential: entry.credential }),
          },
        }),
    action: entry.action,
    object_type: entry.objectType,
    ...(entry.objectId === null ? {} : { object_id: entry.objectId }),
    ...(entry.tenantId === null ? {} : { tenant_id: entry.tenantId }),
    ...(entry.requestId === null ? {} : { request_id: entry.requestId }),
    data: entry.data,
  };
}
