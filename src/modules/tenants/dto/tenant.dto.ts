import { Transform } from 'class-transformer';
import { IsString, Length } from 'class-validator';

export class TenantNameBody {
  /** trimmed, unique */
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @Length(1, 255)
  name: string;
}

export class TenantView {
  id: string;
  name: string;
}

export class TenantListView {
  results: TenantView[];
}
