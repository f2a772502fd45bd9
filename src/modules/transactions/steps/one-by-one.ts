import type { Logger } from '@nestjs/common';
import { describeFailure } from '../../../platform/errors/index.js';

/** Upkeep of many transactions: one that fails is logged and stops no other, and the whole has failed in the end. */
export async function oneByOne(
  txIds: readonly string[],
  logger: Logger,
  work: (txId: string) => Promise<void>,
): Promise<void> {
  let failures = 0;
  for (const txId of txIds)
    try {
      await work(txId);
    } catch (error) {
      failures++;
      logger.error({ msg: 'a transaction could not be ended', txId, ...describeFailure(error) });
    }
  if (failures > 0) throw new Error(`${failures} of ${txIds.length} transactions could not be ended`);
}
