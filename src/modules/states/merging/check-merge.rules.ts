interface CheckObject {
  object_addr?: unknown;
  status?: unknown;
}

interface CheckResult {
  status?: unknown;
  objects?: CheckObject[] | null;
}

/** Terraform's order: the first of these that an object has is the status of the whole. */
const STATUSES = ['error', 'fail', 'unknown'];

/**
 * The check results of one configuration object, merged by instance: what the writer changed against its base is laid
 * over the current results. All are JSON text; undefined stands for none.
 */
export function mergeCheck(
  base: string | undefined,
  writer: string | undefined,
  current: string | undefined,
): string | undefined {
  if (writer === undefined || current === undefined) return writer;
  const mine = JSON.parse(writer) as CheckResult;
  const [before, after] = [objectsOf(base), objectsOf(writer)];
  const merged = objectsOf(current);
  for (const [address, object] of after)
    if (textOf(before.get(address)) !== textOf(object)) merged.set(address, object);
  for (const address of before.keys()) if (!after.has(address)) merged.delete(address);
  if (merged.size === 0) return writer;
  const objects = [...merged].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, object]) => object);
  const status = STATUSES.find((name) => objects.some((object) => object.status === name)) ?? 'pass';
  return JSON.stringify({ ...mine, status, objects });
}

function objectsOf(text: string | undefined): Map<string, CheckObject> {
  const { objects } = (text === undefined ? {} : JSON.parse(text)) as CheckResult;
  return new Map((objects ?? []).map((object) => [String(object.object_addr), object]));
}

function textOf(object: CheckObject | undefined): string {
  return JSON.stringify(object) ?? '';
}
