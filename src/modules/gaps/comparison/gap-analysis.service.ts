import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Principal } from '../../access/index.js';
import type { GapAnalysisQuery } from '../dto/gaps.dto.js';
import { GapComparison } from './gap-comparison.queries.js';
import { sendComparison } from './gap-response.js';
import { GapScans } from '../scanning/gap-scans.service.js';

/** Answers a gap analysis: the comparison, or how far the scan is. */
@Injectable()
export class GapAnalysis {
  constructor(
    private readonly scans: GapScans,
    private readonly comparison: GapComparison,
  ) {}

  async send(
    caller: Principal,
    { tenantId, query }: { tenantId: string; query: GapAnalysisQuery },
    response: Response,
  ): Promise<void> {
    const of = { tenantId, provider: query.provider };
    const answer = await this.scans.request(caller, of, query.source ?? 'cache');
    if ('pending' in answer) {
      response.status(202).json(answer.pending);
      return;
    }
    const { scan } = answer;
    await sendComparison(this.comparison, of, {
      response,
      scan,
      isFresh: this.scans.isFresh(scan.fetchedAt),
    });
  }
}
