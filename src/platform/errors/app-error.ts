/** An answer that is not a success: `{id, data}` with its HTTP status (interface.md section 7). */
export class AppError extends Error {
  constructor(
    readonly id: string,
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  /** Names the failure behind this answer: the log tells it, the answer never does. */
  because(cause: unknown): this {
    this.cause = cause;
    return this;
  }
}

export type ErrorTable = Record<string, readonly [status: number, message: string]>;
export type ErrorFactories<T extends ErrorTable> = {
  [K in keyof T]: (message?: string, headers?: Readonly<Record<string, string>>) => AppError;
};

const documented = new Map<string, readonly [number, string]>();

/** Declares a module's errors; ids are unique over the service and are listed in docs/errors.md (a test compares). */
export function defineErrors<const T extends ErrorTable>(table: T): ErrorFactories<T> {
  const factories = {} as ErrorFactories<T>;
  for (const id of Object.keys(table) as (keyof T & string)[]) {
    const [status, message] = table[id] as readonly [number, string];
    if (documented.has(id)) throw new Error(`error ${id} is defined twice`);
    documented.set(id, [status, message]);
    factories[id] = (text, headers) => new AppError(id, status, text ?? message, headers);
  }
  return factories;
}

/** Every error id defined by the modules loaded so far, with its status and default message. */
export function documentedErrors(): ReadonlyMap<string, readonly [number, string]> {
  return documented;
}

export const httpErrors = defineErrors({
  INVALID_REQUEST: [400, 'the request is malformed'],
  INVALID_DATE_PARAM: [400, 'the date parameter is invalid'],
  UNAUTHENTICATED: [401, 'a valid credential is required'],
  FORBIDDEN: [403, 'the credential does not allow this'],
  NOT_FOUND: [404, 'not found'],
  METHOD_NOT_ALLOWED: [405, 'method not allowed for this path'],
  REQUEST_TIMEOUT: [408, 'the request body arrived too slowly'],
  PAYLOAD_TOO_LARGE: [413, 'the body exceeds the size limit'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'the body must be sent with Content-Type: application/json'],
  RATE_LIMITED: [429, 'too many requests'],
  INTERNAL_ERROR: [500, 'unexpected error'],
  NOT_READY: [502, 'the service is starting'],
  UNAVAILABLE: [503, 'the service is temporarily unavailable'],
});

/** Whether an error says that the operator switched a feature off: nothing for an operator to look into. */
export function isSwitchedOff(id: unknown): boolean {
  return typeof id === 'string' && id.endsWith('_DISABLED');
}
