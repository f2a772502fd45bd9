/** Repositories of an installation were looked up at the provider, or came with a new link to a tenant. */
export class RepositoriesFound {
  constructor(
    /** ours */
    readonly installationCoreId: string,
    /** the provider's ids; undefined: all that are recorded */
    readonly providerIds?: readonly string[],
  ) {}
}
