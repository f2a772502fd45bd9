import type { Logger } from '@nestjs/common';
import { describeFailure } from '../../../platform/errors/index.js';

/** Maintains one state after the other. What fails for one is logged, and keeps none of the others waiting; the job fails at the end. */
export async function stateByState(
  stateIds: readonly string[],
  logger: Logger,
  maintain: (stateId: string) => Promise<void>,
): Promise<void> {
  let failed = 0;
  for (const stateId of stateIds) {
    try {
      await maintain(stateId);
    } catch (error) {
      failed++;
      logger.error({ msg: 'a state could not be maintained', stateId, ...describeFailure(error) });
    }
  }
  if (failed > 0) throw new Error(`${failed} of ${stateIds.length} states could not be maintained`);
}
