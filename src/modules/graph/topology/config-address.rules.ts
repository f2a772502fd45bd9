/** One step of a module path: `env["a"]` is name `env` and key `"a"`; without a key the key is empty. */
export interface ModuleStep {
  name: string;
  key: string;
}

/** `module.env["a.b"].module.db[0]` → its steps. Keys may hold dots, brackets and escaped quotes. */
export function moduleSteps(module: string | undefined): ModuleStep[] {
  const steps: ModuleStep[] = [];
  let at = 0;
  const text = module ?? '';
  while (at < text.length) {
    if (!text.startsWith('module.', at)) return [...steps, { name: text.slice(at), key: '' }];
    at += 'module.'.length;
    const nameEnd = nameEndOf(text, at);
    const name = text.slice(at, nameEnd);
    const keyEnd = keyEndOf(text, nameEnd);
    steps.push({ name, key: text.slice(nameEnd + 1, Math.max(nameEnd + 1, keyEnd - 1)) });
    at = keyEnd + 1;
  }
  return steps;
}

function nameEndOf(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charAt(at) !== '.' && text.charAt(at) !== '[') at++;
  return at;
}

/** Where the `[…]` that starts here ends; here when there is none. */
function keyEndOf(text: string, from: number): number {
  if (text.charAt(from) !== '[') return from;
  let quoted = false;
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (char === ']' && !quoted) return at + 1;
  }
  return text.length;
}

/** The module's address without keys, as `dependencies` names it; empty for the root. */
export function configModule(steps: readonly ModuleStep[]): string {
  return steps.map((step) => `module.${step.name}`).join('.');
}

/** The resource's address without any keys. */
export function configAddress(module: string, mode: string, type: string, name: string): string {
  const local = mode === 'data' ? `data.${type}.${name}` : `${type}.${name}`;
  return module === '' ? local : `${module}.${local}`;
}

/** How many leading steps two module paths share by name. */
export function sharedSteps(a: readonly ModuleStep[], b: readonly ModuleStep[]): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared]?.name === b[shared]?.name) shared++;
  return shared;
}
