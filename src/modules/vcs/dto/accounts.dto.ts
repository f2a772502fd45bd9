import { IsOptional, IsString } from 'class-validator';

/** Who the caller is at a code host. */
export class CodeHostingUserView {
  username: string;
  avatar_url?: string;
}

export class ReturnQuery {
  /** where to go afterwards, on this service only */
  @IsOptional()
  @IsString()
  rd?: string;
}
