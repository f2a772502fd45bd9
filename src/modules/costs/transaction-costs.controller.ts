import { Controller, Get, HttpStatus, Param, Query, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { httpErrors } from '../../platform/errors/index.js';
import { Answers, Refuses } from '../../platform/http/index.js';
import { RequiresMember } from '../access/index.js';
import { CostComputingView, TransactionCostsView } from './dto/cost-delta.dto.js';
import { TransactionCostsQuery } from './dto/cost.dto.js';
import { TransactionCosts } from './plans/transaction-costs.service.js';

const COMPUTING: CostComputingView = { status: 'computing' };

@ApiTags('costs')
@Controller('tx/:txId/costs')
export class TransactionCostsController {
  constructor(private readonly costs: TransactionCosts) {}

  /** Shows what a transaction's plan would cost; 202 while that is computed. */
  @Get()
  @RequiresMember({ tx: 'txId' }, { stranger: () => httpErrors.UNAUTHENTICATED() })
  @Answers(200, TransactionCostsView)
  @ApiResponse({ status: 202, description: 'not computed yet', type: CostComputingView })
  @Refuses(400, 503)
  async find(
    @Param('txId') txId: string,
    @Query() query: TransactionCostsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TransactionCostsView | CostComputingView> {
    const costs = await this.costs.find(txId, query.currency);
    if (costs !== undefined) return costs;
    response.status(HttpStatus.ACCEPTED);
    return COMPUTING;
  }
}
