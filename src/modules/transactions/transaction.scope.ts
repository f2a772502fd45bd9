import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import type { AppError } from '../../platform/errors/index.js';
import { type Principal, ResolvesScope, type ScopedRow, type ScopeResolver } from '../access/index.js';
import { transactionErrors } from './transactions.errors.js';

const TENANT_OF_TX = {
  name: 'tenant-of-transaction',
  text: 'SELECT tenant_id AS "tenantId", made_with AS "madeWith" FROM transactions WHERE id = $1',
};

@ResolvesScope('tx')
@Injectable()
export class TransactionScope implements ScopeResolver {
  constructor(private readonly work: UnitOfWork) {}

  async rowOf(id: string): Promise<ScopedRow | undefined> {
    const [row] = await this.work.prepared<ScopedRow>(TENANT_OF_TX, [id]);
    return row;
  }

  /** The token of a session opens the session's transaction only. */
  reaches({ kind, claims }: Principal, id: string): boolean {
    return kind !== 'tx' || claims['tx'] === id;
  }

  notFound(): AppError {
    return transactionErrors.TX_NOT_FOUND();
  }
}
