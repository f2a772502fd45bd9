import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers } from '../../../platform/http/index.js';
import { RequiresMember } from '../../access/index.js';
import { ConflictListView } from '../dto/transaction.dto.js';
import { TransactionConflicts } from './transaction-conflicts.service.js';

@ApiTags('transactions')
@Controller('tx/:txId/conflicts')
export class TransactionConflictsController {
  constructor(private readonly conflicts: TransactionConflicts) {}

  /** Lists the transactions that a commit would conflict with at this moment. */
  @Get()
  @RequiresMember({ tx: 'txId' })
  @Answers(200, ConflictListView)
  async list(@Param('txId') txId: string): Promise<ConflictListView> {
    return { results: await this.conflicts.list(txId) };
  }
}
