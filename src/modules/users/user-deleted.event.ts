/** A user is deleted; published in the transaction that does so. */
export class UserDeleted {
  constructor(readonly userId: string) {}
}
