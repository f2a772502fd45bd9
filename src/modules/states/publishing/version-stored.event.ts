/** Published by every write that made a new version current, inside its transaction, once the version is stored. */
export class VersionStored {
  constructor(
    readonly stateId: string,
    readonly tenantId: string,
    readonly version: number,
    /** the transaction the version belongs to */
    readonly txId: string,
    readonly userId: string | undefined,
    /** JSON text of the free metadata that came with the write */
    readonly tags: string | undefined,
  ) {}
}
