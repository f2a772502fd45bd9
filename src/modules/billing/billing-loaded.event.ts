/** Published in the transaction that replaced rows of a billing source. */
export class BillingLoaded {
  constructor(
    readonly tenantId: string,
    readonly sourceId: string,
  ) {}
}
