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
