import { isArray, isObject, RawJson } from '../../documents/index.js';

export interface AttributeChange {
  path: string;
  before?: unknown;
  after?: unknown;
  sensitive?: boolean;
}

type Step = string | number | undefined;

/** Where two attribute trees differ, down to the leaves; values under a sensitive path are not shown. */
export function attributeChanges(
  before: RawJson | undefined,
  after: RawJson | undefined,
  sensitive: readonly (readonly Step[])[],
): AttributeChange[] {
  const changes: AttributeChange[] = [];
  compare(before, after, { path: [], sensitive, changes });
  return changes;
}

function compare(
  before: RawJson | undefined,
  after: RawJson | undefined,
  {
    path,
    sensitive,
    changes,
  }: { path: readonly Step[]; sensitive: readonly (readonly Step[])[]; changes: AttributeChange[] },
): void {
  if (isObject(before) && isObject(after)) {
    const left = new Map(before.entries);
    const right = new Map(after.entries);
    for (const key of new Set([...left.keys(), ...right.keys()]))
      compare(left.get(key), right.get(key), { path: [...path, key], sensitive, changes });
  } else if (isArray(before) && isArray(after)) {
    const length = Math.max(before.items.length, after.items.length);
    for (let i = 0; i < length; i++)
      compare(before.items[i], after.items[i], { path: [...path, i], sensitive, changes });
  } else if (text(before) !== text(after)) {
    const hidden = sensitive.some((secret) =>
      secret.every((step, index) => step === undefined || index >= path.length || step === path[index]),
    );
    const shown = hidden ? { sensitive: true } : { ...valueOf('before', before), ...valueOf('after', after) };
    changes.push({ path: pathText(path), ...shown });
  }
}

function valueOf(name: 'before' | 'after', value: RawJson | undefined): Partial<AttributeChange> {
  return value === undefined ? {} : { [name]: JSON.parse(text(value)) as unknown };
}

function text(value: RawJson | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (isArray(value)) return `[${value.items.map(text).join(',')}]`;
  return `{${value.entries.map(([key, item]) => `${JSON.stringify(key)}:${text(item)}`).join(',')}}`;
}

function pathText(path: readonly Step[]): string {
  return path.reduce<string>(
    (all, step) =>
      typeof step === 'number' ? `${all}[${step}]` : all === '' ? String(step) : `${all}.${String(step)}`,
    '',
  );
}
