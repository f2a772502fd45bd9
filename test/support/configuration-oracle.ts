import { type Model, type ModelBlock, pathOf } from './configuration-generator.js';

/** What is expected of a bundle, worked out block by block until nothing changes any more. */
export interface ExpectedClosure {
  planned: Set<string>;
  included: Set<string>;
  removed: Set<string>;
}

export function expectedClosure(before: Model, after: Model): ExpectedClosure {
  const removed = new Set([...before.keys()].filter((id) => !after.has(id)));
  const differs = (id: string) => JSON.stringify(before.get(id)) !== JSON.stringify(after.get(id));
  const changed = new Set([...after.keys()].filter(differs));
  if (changed.size + removed.size === 0) return { planned: new Set(), included: new Set(), removed };
  const planned = affected(before, after, changed, removed);
  for (const id of changed) planned.add(id);
  return { planned, included: needed(before, after, planned, removed), removed };
}

function affected(
  before: Model,
  after: Model,
  changed: ReadonlySet<string>,
  removed: ReadonlySet<string>,
): Set<string> {
  const found = new Set<string>();
  // Of calls only what holds for everything inside.
  const touched = (id: string) => found.has(id) || removed.has(id);
  const seeds = (id: string) => {
    const [old, now] = [before.get(id), after.get(id)];
    if (!changed.has(id) || !now) return false;
    if (!old) return true;
    if (now.kind === 'module')
      return JSON.stringify({ ...old, args: 0 }) !== JSON.stringify({ ...now, args: 0 });
    if (now.kind === 'terraform') return old.salt !== now.salt;
    return true;
  };
  for (const id of after.keys()) if (seeds(id)) found.add(id);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const id of after.keys())
      if (!found.has(id) && [before, after].some((model) => model.has(id) && dependsOnTouched(model, id)))
        found.add(id);
  }
  return found;

  function dependsOnTouched(model: Model, id: string): boolean {
    const block = model.get(id);
    if (!block || block.kind === 'terraform') return false;
    if (block.module !== '' && touched(block.module)) return true;
    if (dependencies(model, block, before, after).some(touched)) return true;
    if (block.kind === 'variable' && block.module !== '') {
      const [old, now] = [before, after].map((each) => each.get(block.module)?.args[block.name]);
      if (JSON.stringify(old) !== JSON.stringify(now)) return true;
    }
    const name = providerNameOf(block)?.split('.')[0];
    return (
      name !== undefined && requirement(before, block.module, name) !== requirement(after, block.module, name)
    );
  }
}

/** Direct dependencies of a block as it stands in a model; what is in a module counts before and after. */
function dependencies(model: Model, block: ModelBlock, before: Model, after: Model): string[] {
  const found = [
    ...block.refs.flatMap((ref) => meant(ref, block.module, false, before, after)),
    ...block.whole.flatMap((ref) => meant(ref, block.module, true, before, after)),
  ];
  if (block.kind === 'variable' && block.module !== '') {
    const call = model.get(block.module);
    for (const ref of call?.args[block.name]?.refs ?? [])
      found.push(...meant(ref, call?.module ?? '', false, before, after));
  }
  const name = block.kind === 'provider' ? undefined : providerNameOf(block);
  const provider = name === undefined ? undefined : providerOf(model, block.module, name);
  return provider === undefined ? found : [...found, provider];
}

function meant(ref: string, module: string, isWhole: boolean, before: Model, after: Model): string[] {
  const [first, name, output] = ref.split('.');
  if (first !== 'module') return [pathOf(module, ref)];
  const call = pathOf(module, `module.${name ?? ''}`);
  if (output !== undefined) return [`${call}.output.${output}`];
  const inside = [...new Map([...before, ...after]).values()].filter((block) =>
    isWhole
      ? (block.module === call || block.module.startsWith(`${call}.`)) &&
        ['resource', 'data', 'output', 'module'].includes(block.kind)
      : block.module === call && block.kind === 'output',
  );
  return [call, ...inside.map(({ id }) => id)];
}

function providerNameOf({ kind, name, provider }: ModelBlock): string | undefined {
  if (kind === 'provider') return name;
  if (kind !== 'resource' && kind !== 'data') return undefined;
  return provider ?? name.split('_')[0];
}

/** Its own, the one it is given, or its caller's. */
function providerOf(model: Model, module: string, name: string): string | undefined {
  const own = pathOf(module, `provider.${name}`);
  if (model.has(own)) return own;
  const call = module === '' ? undefined : model.get(module);
  if (!call) return undefined;
  const given = call.passes[name];
  if (given !== undefined) return providerOf(model, call.module, given);
  return name.includes('.') ? undefined : providerOf(model, call.module, name);
}

function requirement(model: Model, module: string, name: string): number | undefined {
  return model.get(pathOf(module, 'terraform@main.tf'))?.required[name];
}

function needed(
  before: Model,
  after: Model,
  planned: ReadonlySet<string>,
  removed: ReadonlySet<string>,
): Set<string> {
  const found = new Set(planned);
  const add = (ids: readonly string[]) => {
    for (const id of ids) if (after.has(id)) found.add(id);
  };
  for (const id of removed) {
    const block = before.get(id);
    const name = block && block.kind !== 'provider' ? providerNameOf(block) : undefined;
    const provider = block && name !== undefined ? providerOf(before, block.module, name) : undefined;
    add([...(provider === undefined ? [] : [provider]), 'terraform@main.tf']);
  }
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const id of [...found]) {
      const block = after.get(id);
      if (!block) continue;
      add(dependencies(after, block, after, after));
      add([block.module, pathOf(block.module, 'terraform@main.tf')]);
      if (block.kind === 'module') {
        add(Object.values(block.passes).flatMap((name) => providerOf(after, block.module, name) ?? []));
        for (const { refs } of Object.values(block.args))
          for (const ref of refs) add(meant(ref, block.module, false, after, after));
        add(
          [...after.values()]
            .filter((inner) => inner.module === id && inner.kind === 'variable')
            .map((inner) => inner.id),
        );
      }
    }
  }
  return found;
}
