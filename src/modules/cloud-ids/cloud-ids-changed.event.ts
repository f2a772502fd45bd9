/** Published in the transaction that brought the ids of a state's instances up to date, when some of them differ. */
export class CloudIdsChanged {
  constructor(
    readonly tenantId: string,
    readonly stateId: string,
    /** normalized ids that instances gained or lost */
    readonly ids: readonly string[],
  ) {}
}
