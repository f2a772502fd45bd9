import { Failure } from '../failure.js';

/** A configuration that cannot be read; names file and line as Terraform does. */
export class HclSyntaxError extends Failure {
  constructor(
    readonly file: string,
    readonly line: number,
    readonly problem: string,
  ) {
    super('CONFIGURATION_INVALID', `${file}:${line}: ${problem}`);
  }
}
