import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { Type } from 'class-transformer';

export class TaskView {
  id: string;
  state: 'pending' | 'running' | 'completed' | 'failed' | 'aborted';
  /** progress, in units of the task */
  progress?: TaskProgressView;
  /** id of the error it failed with */
  error?: string;
}

export class TaskProgressView {
  done: number;
  total?: number;
  message?: string;
}

export class TaskStartedView {
  id: string;
  state: 'pending' | 'running' | 'completed' | 'failed' | 'aborted';
}

export class TaskResultCountView {
  count: number;
}

export class TaskResultQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(2_147_483_647)
  idx?: number;
}
