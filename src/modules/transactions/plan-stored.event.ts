/** Published by a preview inside its transaction, once operations and masked plan are stored: what it would cost or endanger can be told. */
export class PlanStored {
  constructor(
    readonly txId: string,
    readonly tenantId: string,
    readonly stateIds: readonly string[],
  ) {}
}
