import type { ResourceText } from '../documents/index.js';

/** Changes of a writer to instances, as texts of the writer's document. */
export interface InstanceEdit {
  key: string;
  resourceAddress: string;
  /** the instance as the writer wrote it; undefined removes it */
  text: string | undefined;
  /** the resource around it in the writer's document */
  resource: ResourceText | undefined;
  /** the writer did not say what stands around the instance: what stands there stays */
  headerIsGuess?: boolean;
}

/** The change cannot be put into the current document piece by piece; the write is refused, nothing is lost. */
export class MergeImpossible extends Error {}

/** One run of resources of the current document that may be edited. */
export interface EditableRun {
  resources: ResourceText[];
  touched: boolean;
}

/**
 * Puts a writer's changes into the runs of the current document that may hold them. An instance is replaced where it
 * stands, else joins its resource, else its resource is inserted in address order into the last run. `known`: the
 * instances of the current document; each that is edited must be found.
 */
export function applyEdits(
  runs: EditableRun[],
  edits: readonly InstanceEdit[],
  known: { has: (key: string) => boolean } = NOBODY,
): void {
  for (const edit of edits) {
    const place = find(runs, edit.key);
    if (!place && known.has(edit.key)) throw new MergeImpossible('an instance is not where it is listed');
    if (edit.text === undefined) {
      if (place) remove(place);
    } else if (place) replace(place, edit, edit.text);
    else insert(runs, edit, edit.text);
  }
  for (const run of runs)
    if (run.touched) run.resources = run.resources.filter((resource) => !isVoid(resource));
}

const NOBODY = { has: () => false };

interface Place {
  run: EditableRun;
  resource: ResourceText;
  index: number;
}

function find(runs: readonly EditableRun[], key: string): Place | undefined {
  for (const run of runs) {
    for (const resource of run.resources) {
      const index = resource.instances.findIndex((instance) => instance.key === key);
      if (index >= 0) return { run, resource, index };
    }
  }
  return undefined;
}

function remove({ run, resource, index }: Place): void {
  resource.instances.splice(index, 1);
  run.touched = true;
  if (resource.instances.length === 0 && !isWhole(resource))
    throw new MergeImpossible('the last instance of a part of a resource');
}

function replace({ run, resource, index }: Place, edit: InstanceEdit, text: string): void {
  resource.instances[index] = { key: edit.key, text };
  run.touched = true;
  adoptHeader(resource, edit);
}

function insert(runs: readonly EditableRun[], edit: InstanceEdit, text: string): void {
  const instance = { key: edit.key, text };
  for (const run of runs) {
    const resource = run.resources.find((candidate) => candidate.address === edit.resourceAddress);
    if (!resource) continue;
    resource.instances.push(instance);
    run.touched = true;
    adoptHeader(resource, edit);
    return;
  }
  const source = edit.resource;
  const run = runs.at(-1);
  if (!source || !run || !isWhole(source)) throw new MergeImpossible('no place for a new resource');
  const added: ResourceText = { ...source, instances: [instance] };
  const before = run.resources.findIndex((resource) => isWhole(resource) && resource.address > added.address);
  const last = run.resources.at(-1);
  if (before === -1 && last?.tail === '') throw new MergeImpossible('the run ends inside of a resource');
  run.resources.splice(before === -1 ? run.resources.length : before, 0, added);
  run.touched = true;
}

/** The header (its provider, say) is the writer's when the writer changed an instance under another one. */
function adoptHeader(resource: ResourceText, edit: InstanceEdit): void {
  if (!edit.resource || edit.headerIsGuess || edit.resource.header === resource.header) return;
  if (!isWhole(resource) || !isWhole(edit.resource))
    throw new MergeImpossible('the header of a divided resource changed');
  resource.head = edit.resource.head;
  resource.tail = edit.resource.tail;
  resource.header = edit.resource.header;
}

function isWhole(resource: ResourceText): boolean {
  return resource.head !== '' && resource.tail !== '';
}

function isVoid(resource: ResourceText): boolean {
  return resource.instances.length === 0 && isWhole(resource);
}
