import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { httpErrors } from '../../platform/errors/index.js';
import { Answers, Refuses } from '../../platform/http/index.js';
import { SignedIn } from '../access/index.js';
import { CodeHostingUserView } from './dto/auth.dto.js';

/** Who the caller is at a code-hosting provider. Nothing links accounts yet, so that nobody is anybody there. */
@ApiTags('sign-in')
@Controller()
export class CodeHostingUserController {
  /** Shows the caller's linked account of the first code-hosting provider. */
  @Get('github/whoami')
  @SignedIn()
  @Answers(200, CodeHostingUserView)
  @Refuses(403)
  github(): CodeHostingUserView {
    throw httpErrors.FORBIDDEN('no account of this provider is linked');
  }

  /** Shows the caller's linked account of the group-based code-hosting provider. */
  @Get('gitlab/whoami')
  @SignedIn()
  @Answers(200, CodeHostingUserView)
  @Refuses(403)
  gitlab(): CodeHostingUserView {
    throw httpErrors.FORBIDDEN('no account of this provider is linked');
  }
}
