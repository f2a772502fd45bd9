/** A state is deleted; published in the transaction that does so. */
export class StateDeleted {
  constructor(
    readonly stateId: string,
    readonly tenantId: string,
  ) {}
}
