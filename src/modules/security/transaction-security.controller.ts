import { Controller, Get, HttpStatus, Param, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { httpErrors } from '../../platform/errors/index.js';
import { Answers, Refuses } from '../../platform/http/index.js';
import { OnlyWhile, RequiresMember } from '../access/index.js';
import { ImpactComputingView, ImpactSummaryView, ImpactView } from './dto/impact.dto.js';
import { Impacts } from './impact/impacts.service.js';
import { securityErrors } from './security.errors.js';

const COMPUTING: ImpactComputingView = { status: 'computing' };

@ApiTags('security')
@Controller('tx/:txId/security/impact')
@OnlyWhile('SERVICE_SECURITY', securityErrors.SECURITY_DISABLED)
export class TransactionSecurityController {
  constructor(private readonly impacts: Impacts) {}

  /** Shows the findings that a transaction adds and resolves; 202 while that is computed. */
  @Get()
  @RequiresMember({ tx: 'txId' }, { stranger: () => httpErrors.UNAUTHENTICATED() })
  @Answers(200, ImpactView)
  @ApiResponse({ status: 202, description: 'not computed yet', type: ImpactComputingView })
  @Refuses(503)
  async impact(
    @Param('txId') txId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImpactView | ImpactComputingView> {
    return orComputing(await this.impacts.findImpact(txId), response);
  }

  /** Counts the findings that a transaction adds and resolves by severity; 202 while that is computed. */
  @Get('summary')
  @RequiresMember({ tx: 'txId' }, { stranger: () => httpErrors.UNAUTHENTICATED() })
  @Answers(200, ImpactSummaryView)
  @ApiResponse({ status: 202, description: 'not computed yet', type: ImpactComputingView })
  @Refuses(503)
  async summary(
    @Param('txId') txId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImpactSummaryView | ImpactComputingView> {
    return orComputing(await this.impacts.summary(txId), response);
  }
}

function orComputing<T>(impact: T | undefined, response: Response): T | ImpactComputingView {
  if (impact !== undefined) return impact;
  response.status(HttpStatus.ACCEPTED);
  return COMPUTING;
}
