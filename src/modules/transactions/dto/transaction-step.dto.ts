import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { EndedTaskView } from './transaction.dto.js';

/** How logged content is put into the states (contract-notes.md section 3). */
export const APPLY_MODES = ['delta', 'overwrite', 'hcl'] as const;
export type ApplyMode = (typeof APPLY_MODES)[number];

export class ApplyQuery {
  @ApiProperty({ enum: APPLY_MODES, required: false, default: 'delta' })
  @IsOptional()
  @IsIn(APPLY_MODES)
  replace?: ApplyMode;
}

export class StepView {
  task: EndedTaskView;
  /** bearer token for the routes below `actuator`, for this step only */
  token: string;
}

export class ApplyView {
  task: EndedTaskView;
}
