import { membersOf } from './document-frame.js';
import { parseRaw, printRaw, RawJson } from './raw-json.js';

/** Changes to apply to the outputs and check results of a document: JSON text, or undefined to remove. */
export interface FrameEdit {
  serial: number;
  terraformVersion: string | undefined;
  /** undefined leaves it as it is */
  lineage?: string | undefined;
  outputs: ReadonlyMap<string, string | undefined>;
  checks: ReadonlyMap<string, string | undefined>;
}

/** What stands before and after the resources of the edited document, in the client's layout. */
export function editFrame(
  members: ReadonlyMap<string, string>,
  edit: FrameEdit,
): { head: Buffer; tail: Buffer } {
  const edited = new Map(members);
  edited.set('serial', String(edit.serial));
  if (edit.terraformVersion !== undefined)
    edited.set('terraform_version', JSON.stringify(edit.terraformVersion));
  if (edit.lineage !== undefined) edited.set('lineage', JSON.stringify(edit.lineage));
  edited.set('outputs', editOutputs(members.get('outputs'), edit.outputs));
  if (edit.checks.size > 0)
    edited.set('check_results', editChecks(members.get('check_results'), edit.checks));
  const before: string[] = [];
  const after: string[] = [];
  let passed = false;
  for (const [name, text] of edited) {
    if (name === 'resources') passed = true;
    else (passed ? after : before).push(`\n  ${JSON.stringify(name)}: ${pretty(parseRaw(text), '  ')}`);
  }
  return {
    head: Buffer.from(`{${before.join(',')}${before.length > 0 ? ',' : ''}\n  "resources": [`),
    tail: Buffer.from(`\n  ]${after.map((member) => `,${member}`).join('')}\n}\n`),
  };
}

/** A whole document that shows the outputs and nothing else. */
export function outputsDocument(members: ReadonlyMap<string, string>): string {
  const kept = ['version', 'terraform_version', 'serial', 'lineage', 'outputs'].flatMap((name) => {
    const text = members.get(name) ?? (name === 'outputs' ? '{}' : undefined);
    return text === undefined ? [] : [`\n  "${name}": ${pretty(parseRaw(text), '  ')}`];
  });
  return `{${kept.join(',')},\n  "resources": [],\n  "check_results": null\n}\n`;
}

/** The check results of a document by configuration address, each as JSON text. */
export function checksOf(text: string | undefined): Map<string, string> {
  const tree = text === undefined ? 'null' : parseRaw(text);
  if (typeof tree === 'string' || !('items' in tree)) return new Map();
  return new Map(
    tree.items.map((item) => {
      const printed = printRaw(item);
      const address: unknown = (JSON.parse(printed) as { config_addr?: unknown }).config_addr;
      return [typeof address === 'string' ? address : '', printed];
    }),
  );
}

function editOutputs(text: string | undefined, changes: ReadonlyMap<string, string | undefined>): string {
  const outputs = membersOf(text);
  for (const [name, value] of changes) {
    if (value === undefined) outputs.delete(name);
    else outputs.set(name, value);
  }
  const names = [...outputs.keys()].sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${outputs.get(name) ?? 'null'}`).join(',')}}`;
}

function editChecks(text: string | undefined, changes: ReadonlyMap<string, string | undefined>): string {
  const checks = checksOf(text);
  for (const [address, value] of changes) {
    if (value === undefined) checks.delete(address);
    else checks.set(address, value);
  }
  return `[${[...checks.values()].join(',')}]`;
}

/** The value in the client's layout, two spaces a level; `indent` is that of the line it begins on. */
export function pretty(value: RawJson, indent: string): string {
  if (typeof value === 'string') return value;
  const inner = `${indent}  `;
  if ('items' in value) {
    if (value.items.length === 0) return '[]';
    return `[${value.items.map((item) => `\n${inner}${pretty(item, inner)}`).join(',')}\n${indent}]`;
  }
  if (value.entries.length === 0) return '{}';
  const entries = value.entries.map(
    ([key, item]) => `\n${inner}${JSON.stringify(key)}: ${pretty(item, inner)}`,
  );
  return `{${entries.join(',')}\n${indent}}`;
}
