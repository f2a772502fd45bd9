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

/** Exit codes by what a script can do about it; 2 is what `plan` says of changes. */
export const EXIT_CODES = {
  failure: 1,
  usage: 64,
  notFound: 66,
  unavailable: 69,
  conflict: 75,
  denied: 77,
} as const;

/** 1 for everything that has no code of its own. */
export function exitCodeOf(failure: Failure): number {
  if (failure.id === 'USAGE') return EXIT_CODES.usage;
  if (failure.id === 'STATE_UNKNOWN') return EXIT_CODES.notFound;
  if (failure.id === 'TX_CONFLICT' || failure.id === 'STATE_EXISTS') return EXIT_CODES.conflict;
  if (failure.id === 'UNREACHABLE') return EXIT_CODES.unavailable;
  if (!(failure instanceof ServiceFailure)) return EXIT_CODES.failure;
  switch (failure.status) {
    case 401:
    case 403:
      return EXIT_CODES.denied;
    case 404:
      return EXIT_CODES.notFound;
    case 409:
    case 423:
      return EXIT_CODES.conflict;
    case 429:
    case 502:
    case 503:
    case 504:
      return EXIT_CODES.unavailable;
    default:
      return EXIT_CODES.failure;
  }
}
