/** A user lost grants or a membership, or was deleted; published in the transaction that did it. */
export class RightsReduced {
  constructor(readonly userId: string) {}
}
