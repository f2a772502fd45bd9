/** A state is deleted; published in the transaction that does so, while its rows can still be read. */
export class StateDeleted {
  constructor(
    readonly stateId: string,
    readonly tenantId: string,
  ) {}
}
