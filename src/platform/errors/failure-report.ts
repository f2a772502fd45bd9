export interface FailureDescription {
  kind: string;
  stack: string | undefined;
}

/** What a log may say of an unexpected error: its kind and place, never its text, which can quote a value. */
export function describeFailure(error: unknown): FailureDescription {
  if (error instanceof DescribedFailure) return error.description;
  return { kind: kindOf(error), stack: stackOf(error) };
}

/** A failure of another thread, of which only the description crossed over. */
export class DescribedFailure extends Error {
  constructor(readonly description: FailureDescription) {
    super(description.kind);
  }
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}

/** The frames without the message line. */
function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  return frames?.slice(0, 12).join('\n');
}
