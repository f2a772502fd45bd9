import type { ResourceText } from '../../documents/index.js';

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

/** The writer's instances belong under another header (their provider, say) than those that stand in the resource. */
export class HeaderConflict extends Error {}

export interface EditOptions {
  /** the instances of the current document; each that is edited must be found */
  known?: { has: (key: string) => boolean };
  /** refuse to put instances of two headers into one resource, instead of deciding for one */
  refusesMixedHeaders?: boolean;
}

/**
 * Puts a writer's changes into the runs of the current document that may hold them. An instance is replaced where it
 * stands, else joins its resource, else its resource is inserted in address order into the last run.
 */
export function applyEdits(
  runs: EditableRun[],
  edits: readonly InstanceEdit[],
  { known = NOBODY, refusesMixedHeaders = false }: EditOptions = {},
): void {
  const headers = new Map<ResourceText, HeaderEdit>();
  for (const edit of edits) {
    const place = find(runs, edit.key);
    if (!place && known.has(edit.key)) throw new MergeImpossible('an instance is not where it is listed');
    if (edit.text === undefined) {
      if (place) remove(place);
      continue;
    }
    const resource = place ? replace(place, edit, edit.text) : insert(runs, edit, edit.text);
    if (resource) noteHeader(headers, resource, edit, { replaces: place !== undefined });
  }
  for (const [resource, header] of headers) adoptHeader(resource, header, { refusesMixedHeaders });
  for (const run of runs)
    if (run.touched) run.resources = run.resources.filter((resource) => !isVoid(resource));
}

/** Another header that edited instances of a resource come with. */
interface HeaderEdit {
  source: ResourceText;
  keys: Set<string>;
  /** some of the instances stood in the resource before */
  replaces: boolean;
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

function replace({ run, resource, index }: Place, edit: InstanceEdit, text: string): ResourceText {
  resource.instances[index] = { key: edit.key, text };
  run.touched = true;
  return resource;
}

/** Returns the resource that the instance joined, or undefined when it brought its own. */
function insert(runs: readonly EditableRun[], edit: InstanceEdit, text: string): ResourceText | undefined {
  const instance = { key: edit.key, text };
  for (const run of runs) {
    const resource = run.resources.find((candidate) => candidate.address === edit.resourceAddress);
    if (!resource) continue;
    resource.instances.push(instance);
    run.touched = true;
    return resource;
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
  return undefined;
}

function noteHeader(
  headers: Map<ResourceText, HeaderEdit>,
  resource: ResourceText,
  edit: InstanceEdit,
  { replaces }: { replaces: boolean },
): void {
  if (!edit.resource || edit.headerIsGuess || edit.resource.header === resource.header) return;
  if (!isWhole(resource) || !isWhole(edit.resource))
    throw new MergeImpossible('the header of a divided resource changed');
  const header = headers.get(resource) ?? { source: edit.resource, keys: new Set(), replaces: false };
  header.keys.add(edit.key);
  header.replaces ||= replaces;
  headers.set(resource, header);
}

/**
 * The header is the writer's when all instances are. Where others remain that the writer did not write under its header,
 * an insertion keeps the header that stands there; data sources describe no infrastructure, and the later one wins.
 */
function adoptHeader(
  resource: ResourceText,
  edit: HeaderEdit,
  { refusesMixedHeaders }: { refusesMixedHeaders: boolean },
): void {
  const isMixed = resource.instances.some(({ key }) => !edit.keys.has(key));
  const isData = edit.source.header.split('\0').includes('mode,data');
  if (isMixed && !isData) {
    if (refusesMixedHeaders) throw new HeaderConflict();
    if (!edit.replaces) return;
  }
  resource.head = edit.source.head;
  resource.tail = edit.source.tail;
  resource.header = edit.source.header;
}

function isWhole(resource: ResourceText): boolean {
  return resource.head !== '' && resource.tail !== '';
}

function isVoid(resource: ResourceText): boolean {
  return resource.instances.length === 0 && isWhole(resource);
}
