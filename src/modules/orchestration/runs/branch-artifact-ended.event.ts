/** A run that looked at the default branch has ended; published once its result is stored. */
export class BranchArtifactEnded {
  constructor(readonly repositoryId: string) {}
}
