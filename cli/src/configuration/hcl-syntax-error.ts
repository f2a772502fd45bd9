/** A configuration that cannot be read; names file and line as Terraform does. */
export class HclSyntaxError extends Error {
  constructor(
    readonly file: string,
    readonly line: number,
    readonly problem: string,
  ) {
    super(`${file}:${line}: ${problem}`);
    this.name = 'HclSyntaxError';
  }
}
