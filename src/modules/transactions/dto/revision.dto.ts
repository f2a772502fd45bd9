import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsNotEmpty,
  IsObject,
  IsString,
  IsUUID,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';

export class NodeHashBody {
  @IsString()
  @IsNotEmpty()
  @MaxLength(2000)
  key: string;
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  hash: string;
}

export class RecordRevisionBody {
  @IsUUID()
  tx_id: string;
  @IsArray()
  @ArrayMaxSize(50_000)
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => NodeHashBody)
  nodes: NodeHashBody[];
}

export class CompareRevisionBody {
  @IsUUID()
  tx_id: string;
}

export class ChangedNodesView {
  /** recorded with the transaction, and different from or absent in the state */
  node_ids: string[];
  /** stored with the state, and not recorded with the transaction; absent when there are none */
  removed?: string[];
}

export class RevisionHashView {
  hash: string;
}

export class ListRevisionNodesQuery {
  @PageToken()
  page?: string;
  @PageLimit(10_000, 50_000)
  limit?: string;
}

export class RevisionNodeView {
  /** node id */
  key: string;
  /** empty when no client knows it: the node counts as changed */
  hash: string;
}

export class RevisionNodeListView {
  results: RevisionNodeView[];
  /** token of the next page; absent on the last one */
  next_page?: string;
}
