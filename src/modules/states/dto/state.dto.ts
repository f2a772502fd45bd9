import { IsIn, IsNotEmpty, IsOptional, IsString, IsUUID, Matches, MaxLength } from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';
import type { StateFormat } from '../entities/state.entity.js';
import { STATE_ORDERS, type StateOrder } from '../state-orders.js';
import { LockHolderView } from './lock.dto.js';

export class CreateStateBody {
  @IsString()
  @Matches(/\S/, { message: 'name must not be blank' })
  @MaxLength(255)
  name: string;
  /** generated when absent */
  @IsOptional()
  @IsUUID()
  group_id?: string;
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(255)
  workspace?: string;
}

export class StateView {
  id: string;
  name: string;
  group_id: string;
  workspace: string;
  created_at: string;
  tenant_id: string;
  /** 0 before the first write */
  serial: number;
  lineage: string;
  updated_at: string;
  format: StateFormat;
  terraform_version?: string;
  /** why the document has no graph: it is stored and served all the same */
  graph_error?: string;
  /** number of the current version; 0 before the first write */
  version: number;
  /** instances of the current document */
  instances: number;
  /** resources of the current document */
  resources: number;
  /** absent when the state is not locked */
  lock?: LockHolderView;
}

export class StateListView {
  results: StateView[];
  next_page?: string;
}

export class ListStatesQuery {
  @PageToken()
  page?: string;
  @PageLimit(100, 1000)
  limit?: string;
  /** part of a name, a workspace or a group id, in any case */
  @IsOptional()
  @IsString()
  @MaxLength(255)
  search?: string;
  /** `name`, or `-updated_at` for the latest change first; the oldest state first when absent */
  @IsOptional()
  @IsIn(STATE_ORDERS)
  sort?: StateOrder;
  /** `true` for states that somebody holds the lock of */
  @IsOptional()
  @IsIn(['true'])
  locked?: 'true';
  /** accepted and ignored */
  @IsOptional()
  q?: string;
  /** accepted and ignored */
  @IsOptional()
  tz?: string;
}

export class DeletedStateView {
  id: string;
  deleted: true;
}
