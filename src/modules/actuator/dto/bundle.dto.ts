import { IsInt, IsOptional, IsString, IsUUID, Max, Min } from 'class-validator';

export class GenerateBundleBody {
  /** a task noted before by the same user */
  @IsOptional()
  @IsUUID()
  task_id?: string;
}

export class BundleCursorsBody {
  /** entries of a page: blocks, files, outputs and resources; 1000 when absent */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(10_000)
  limit?: number;
}

export class BundlePageBody extends BundleCursorsBody {
  /** of `bundle/cursors`, or of the page before; absent for the first page */
  @IsOptional()
  @IsString()
  cursor?: string;
}

export class BundlePageView {
  limit: number;
  cursor?: string;
}

export class BundlePagesView {
  pages: BundlePageView[];
}

export class RunnerParamsView {
  /** plan and apply without reading what exists */
  skip_refresh?: boolean;
}
