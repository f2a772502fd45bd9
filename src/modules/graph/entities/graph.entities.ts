import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StateStatistics } from '../projection/graph-statistics.rules.js';

@Entity('resources')
export class ResourceEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  key: string;
  @Column('text')
  address: string;
  @Column('text')
  mode: string;
  @Column('text')
  type: string;
  @Column('text')
  name: string;
  @Column('text', { nullable: true })
  module: string | null;
  @Column('text')
  provider: string;
  @Column('integer', { name: 'instance_count' })
  instanceCount: number;
}

/** Written by COPY, read by SQL: attributes stay JSON text, so that no number loses a digit. */
@Entity('instances')
export class InstanceEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  key: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  address: string;
  @Column('text', { name: 'resource_address' })
  resourceAddress: string;
  @Column('text')
  type: string;
  @Column('text', { nullable: true })
  deposed: string | null;
  @Column('bytea')
  hash: Buffer;
}

@Entity('modules')
export class ModuleEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  key: string;
  @Column('text')
  name: string;
  @Column('integer', { name: 'resource_count' })
  resourceCount: number;
  @Column('integer', { name: 'instance_count' })
  instanceCount: number;
}

@Entity('providers')
export class ProviderEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('text')
  name: string;
  @Column('integer', { name: 'instance_count' })
  instanceCount: number;
}

@Entity('outputs')
export class OutputEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  key: string;
  @Column('text')
  name: string;
  @Column('boolean')
  sensitive: boolean;
}

@Entity('check_results')
export class CheckResultEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  key: string;
  @Column('text', { name: 'config_addr' })
  configAddr: string;
  @Column('text', { name: 'object_kind' })
  objectKind: string;
  @Column('text')
  status: string;
}

@Entity('state_graphs')
export class StateGraphEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @Column('integer')
  version: number;
  @Column('jsonb')
  stats: StateStatistics;
  /** see GraphTopology */
  @Column('bytea')
  topology: Buffer;
  /** see NodeTable */
  @Column('bytea')
  nodes: Buffer;
  /** ordinals of the instances that links between states name */
  @Column('bytea')
  landmarks: Buffer;
}

@Entity('state_links')
export class StateLinkEntity {
  @PrimaryColumn('uuid', { name: 'consumer_state_id' })
  consumerStateId: string;
  @PrimaryColumn('uuid', { name: 'consumer_key' })
  consumerKey: string;
  @Column('text', { name: 'consumer_address' })
  consumerAddress: string;
  @Column('uuid', { name: 'group_id' })
  groupId: string;
  @Column('text')
  workspace: string;
  @Column('text', { array: true })
  values: string[];
}

@Entity('output_sources')
export class OutputSourceEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('text')
  value: string;
  @Column('uuid', { array: true })
  keys: string[];
}
