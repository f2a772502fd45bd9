import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import {
  AccessDecisions,
  Caller,
  OnlyWhile,
  type Principal,
  ScopeResolvers,
  SignedIn,
} from '../access/index.js';
import { CheckCatalogueView, ListChecksQuery } from './dto/security.dto.js';
import { CheckCatalogue } from './findings/check-catalogue.js';
import { securityErrors } from './security.errors.js';

@ApiTags('security')
@Controller('security')
@OnlyWhile('SERVICE_SECURITY', securityErrors.SECURITY_DISABLED)
export class SecurityChecksController {
  constructor(
    private readonly catalogue: CheckCatalogue,
    private readonly decisions: AccessDecisions,
    private readonly scopes: ScopeResolvers,
  ) {}

  /** Lists the checks; for members of a tenant its own ones too. */
  @Get('checks')
  @SignedIn()
  @Answers(200, CheckCatalogueView)
  @Refuses(400, 404, 503)
  async list(@Caller() caller: Principal, @Query() query: ListChecksQuery): Promise<CheckCatalogueView> {
    return this.catalogue.list(this.visibleTenant(caller, query.tenant_id));
  }

  private visibleTenant(caller: Principal, tenantId: string | undefined): string | undefined {
    if (tenantId !== undefined && !this.decisions.isMember(caller, tenantId.toLowerCase()))
      throw this.scopes.of('tenant').notFound();
    return tenantId;
  }
}
