import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  ValidateNested,
} from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';
import { TRANSACTION_STATES, type TransactionState } from '../transaction-states.machine.js';

export class TransactionParams {
  /** plan and apply without reading what exists */
  @IsOptional()
  @IsBoolean()
  skip_refresh?: boolean;
}

export class CreateTransactionBody {
  /** of GET /version */
  @IsInt()
  state_schema_version: number;
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => TransactionParams)
  params?: TransactionParams;
  @IsOptional()
  @IsObject()
  tags?: Record<string, unknown>;
}

export class CreateSessionBody {
  @IsOptional()
  @IsObject()
  tags?: Record<string, unknown>;
  /** needed when the credential reaches several tenants */
  @IsOptional()
  @IsUUID()
  tenant_id?: string;
}

export class ListTransactionsQuery {
  @PageToken()
  page?: string;
  @PageLimit(100, 1000)
  limit?: string;
  /** ISO 8601, inclusive; a bare date is the beginning of its day in UTC */
  @IsOptional()
  @IsString()
  from?: string;
  /** ISO 8601, inclusive; a bare date is the end of its day in UTC */
  @IsOptional()
  @IsString()
  to?: string;
  /** only transactions in one of these states; may be repeated */
  @ApiPropertyOptional({ enum: TRANSACTION_STATES, isArray: true })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
  @IsIn(TRANSACTION_STATES, { each: true })
  state?: TransactionState[];
  /** only transactions of this state */
  @IsOptional()
  @IsUUID()
  state_id?: string;
  /** only transactions that this user created */
  @IsOptional()
  @IsUUID()
  created_by?: string;
}

class TransactionPageQuery {
  @PageToken()
  page?: string;
}

export class ListLogsQuery extends TransactionPageQuery {
  @PageLimit(1000, 10_000)
  limit?: string;
}

export class ListPlanOperationsQuery extends TransactionPageQuery {
  @PageLimit(200, 1000)
  limit?: string;
}

export class ReadOutputQuery extends TransactionPageQuery {
  @PageLimit(1, 1000, 'maximum number of fragments')
  limit?: string;
}

export class PlanSummaryView {
  add: number;
  change: number;
  destroy: number;
}

export class TransactionView {
  id: string;
  tenant_id: string;
  created_at: string;
  created_by?: string;
  created_by_name?: string;
  completed_at?: string;
  completed_by?: string;
  state: TransactionState;
  params: TransactionParams;
  tags: Record<string, unknown>;
  /** a replace counts as an add and a destroy */
  plan_summary: PlanSummaryView;
  state_names: string[];
}

export class TransactionListView {
  results: TransactionView[];
  next_page?: string;
}

export class TransactionDetailsView {
  tx: TransactionView;
  state_ids: string[];
  /** where people look at it */
  share_url: string | null;
}

export class SessionView {
  /** bearer token, and password of the backend, while the transaction is open */
  token: string;
  tx: TransactionView;
}

export class LogEntryView {
  id: string;
  action: string;
  object_type: string;
  created_at: string;
  state_id?: string;
  data: Record<string, unknown>;
}

export class LogListView {
  results: LogEntryView[];
  next_page?: string;
}

export class ConflictingStateView {
  state_id: string;
  state_name: string;
  /** addresses of the instances that both transactions change, or one changes and the other reads */
  addresses: string[];
  /** names of the outputs, in the same way */
  outputs: string[];
}

export class ConflictView {
  tx_id: string;
  state: TransactionState;
  created_by_name?: string;
  completed_at?: string;
  /** states in which the two meet; both lists are empty where they meet in configuration, or one replaces everything */
  states: ConflictingStateView[];
}

export class ConflictListView {
  results: ConflictView[];
}

export class PlanOperationView {
  address: string;
  operation: 'create' | 'update' | 'replace' | 'destroy';
}

export class PlanOperationListView {
  results: PlanOperationView[];
  next_page?: string;
}

export class OutputFragmentView {
  idx: number;
  /** base64 */
  data: string;
}

export class OutputView {
  payload?: 'apply_stdout' | 'run_failure';
  results: OutputFragmentView[];
  next_page?: string;
}

export class StateMapView {
  results: string[];
}

export class AppendedView {
  appended: number;
}

export class EndedTaskView {
  id: string;
  state: 'pending' | 'running' | 'completed' | 'failed' | 'aborted';
}
