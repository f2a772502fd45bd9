/** What went wrong in words for the person at the keyboard, with an id for programs. `hint` says what to do about it. */
export class Failure extends Error {
  constructor(
    readonly id: string,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** The service refused: its own `{id, data}`. */
export class ServiceFailure extends Failure {
  constructor(
    readonly status: number,
    id: string,
    data: string,
    hint?: string,
  ) {
    super(id, data, hint);
  }
}

/** A command line that cannot be understood. */
export class UsageFailure extends Failure {
  constructor(message: string, hint = 'infrastate --help shows the commands') {
    super('USAGE', message, hint);
  }
}

/** Any thrown thing as a failure; messages of unexpected ones are all that is shown of them. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('UNEXPECTED', error instanceof Error ? error.message : String(error));
}
