/** An installation is linked to its tenant no longer; published in the transaction that unlinks it. */
export class InstallationUnlinked {
  constructor(
    /** ours */
    readonly installationCoreId: string,
    readonly tenantId: string,
  ) {}
}
