/** A run is completed or aborted; published in the transaction that ends it. */
export class RunEnded {
  constructor(
    readonly workManifestId: string,
    /** whether the CI run behind it goes on and has to be cancelled */
    readonly cancelsCiRun: boolean,
  ) {}
}
