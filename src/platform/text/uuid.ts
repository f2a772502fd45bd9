/** Any version, upper or lower case: what PostgreSQL accepts as a `uuid` with hyphens. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** For the few statements that take no parameters: only a UUID gets into their text. */
export function requireUuid(id: string): string {
  if (!isUuid(id)) throw new Error('not a UUID');
  return id;
}
