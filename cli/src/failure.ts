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

/** Exit codes by what a script can do about the failure. `plan` exits with 2 when there are changes. */
export const EXIT_CODES = {
  failure: 1,
  usage: 64,
  notFound: 66,
  unavailable: 69,
  conflict: 75,
  denied: 77,
} as const;

const CODE_OF_ID: Readonly<Record<string, number>> = {
  USAGE: EXIT_CODES.usage,
  STATE_UNKNOWN: EXIT_CODES.notFound,
  TX_CONFLICT: EXIT_CODES.conflict,
  STATE_EXISTS: EXIT_CODES.conflict,
  UNREACHABLE: EXIT_CODES.unavailable,
};
const CODE_OF_STATUS: Readonly<Record<number, number>> = {
  401: EXIT_CODES.denied,
  403: EXIT_CODES.denied,
  404: EXIT_CODES.notFound,
  409: EXIT_CODES.conflict,
  423: EXIT_CODES.conflict,
  429: EXIT_CODES.unavailable,
  502: EXIT_CODES.unavailable,
  503: EXIT_CODES.unavailable,
  504: EXIT_CODES.unavailable,
};

/** 1 for every failure without an exit code of its own. */
export function exitCodeOf(failure: Failure): number {
  const status = failure instanceof ServiceFailure ? failure.status : 0;
  return CODE_OF_ID[failure.id] ?? CODE_OF_STATUS[status] ?? EXIT_CODES.failure;
}
