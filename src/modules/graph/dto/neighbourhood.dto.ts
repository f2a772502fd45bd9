import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';

export const GRAPH_DIRECTIONS = ['both', 'dependencies', 'dependents'] as const;
export type GraphDirection = (typeof GRAPH_DIRECTIONS)[number];
export const DEFAULT_NODES = 500;
const MAX_NODES = 2000;

export class ReadGraphQuery {
  /** address of the instance to start from; without it the best connected instances of the state are shown */
  @IsOptional()
  @IsString()
  address?: string;

  /** maximum distance in dependency edges */
  @ApiProperty({ type: 'integer', required: false, minimum: 1, maximum: 3, default: 1 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(3)
  depth?: number;

  /** which way to go from the instance */
  @ApiProperty({ enum: GRAPH_DIRECTIONS, required: false, default: 'both' })
  @IsOptional()
  @IsIn(GRAPH_DIRECTIONS)
  direction?: GraphDirection;

  /** maximum number of instances */
  @ApiProperty({
    type: 'integer',
    required: false,
    minimum: 1,
    maximum: MAX_NODES,
    default: DEFAULT_NODES,
  })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_NODES)
  limit?: number;
}

export class GraphNodeView {
  /** position in `nodes`, from 0; edges name it */
  id: number;
  address: string;
  type: string;
  /** address of the module; null in the root module */
  module: string | null;
  state_id: string;
  state_name: string;
  /** dependency edges from the instance the graph starts from */
  distance: number;
  /** how the instance is reached from the one the graph starts from */
  direction: 'seed' | 'dependency' | 'dependent' | 'both';
}

export class GraphEdgeView {
  /** `id` of the instance that depends on the other */
  from: number;
  /** `id` of the instance that the other depends on */
  to: number;
}

export class GraphView {
  /** nearest first, then by address */
  nodes: GraphNodeView[];
  /** all dependencies among `nodes`, up to 20,000 */
  edges: GraphEdgeView[];
  /** instances within `depth` that the caller may see */
  total_nodes: number;
  /** whether instances or edges are missing */
  truncated: boolean;
  /** instances within `depth` in states that the caller may not see */
  hidden_instances: number;
}
