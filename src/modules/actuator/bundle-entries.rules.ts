import { hash } from 'node:crypto';
import type { PlannableNode, Plannable } from '../configurations/index.js';
import { withoutBackend } from '../configurations/index.js';
import { minifiedJson, parseRaw, printRaw, withoutKeys } from '../documents/index.js';
import type { StateSlice } from '../states/index.js';

export interface BundleEntry {
  kind: 'hcl' | 'file' | 'output' | 'resource';
  isContext: boolean;
  /** JSON text, numbers as written */
  data: string;
}

/** What a runner gets, in the order in which it gets it. */
export function* bundleEntries(
  { nodes, instances, outputs }: Plannable,
  slice: Pick<StateSlice, 'resources' | 'outputs'>,
): Generator<BundleEntry> {
  for (const node of nodes)
    if (node.kind === 'hcl') yield { kind: 'hcl', isContext: node.isContext, data: blockText(node) };
  for (const node of nodes)
    if (node.kind === 'file') yield { kind: 'file', isContext: node.isContext, data: fileText(node) };
  const values = nodes.filter(({ kind }) => kind === 'tfvar');
  if (values.length > 0)
    yield { kind: 'file', isContext: values.every((node) => node.isContext), data: variablesText(values) };
  for (const [name, text] of slice.outputs)
    if (outputs?.has(name) ?? true)
      yield { kind: 'output', isContext: false, data: `${JSON.stringify(name)}:${text}` };
  for (const { address, text } of slice.resources) {
    const isContext = instances?.get(withoutKeys(address))?.isContext ?? false;
    yield { kind: 'resource', isContext, data: text };
  }
}

/** The members of a version 4 document that are neither resources nor outputs. */
export function headText({ serial, lineage, terraformVersion }: StateSlice): string {
  return JSON.stringify({
    version: 4,
    ...(terraformVersion === undefined ? {} : { terraform_version: terraformVersion }),
    serial,
    lineage,
    check_results: null,
  });
}

/** One page as its runner reads it. */
export function pageText(
  head: string,
  entries: readonly Pick<BundleEntry, 'kind' | 'data'>[],
  cursor: string | undefined,
): string {
  const list = (kind: BundleEntry['kind']) =>
    entries
      .filter((entry) => entry.kind === kind)
      .map((entry) => entry.data)
      .join(',');
  const state = `${head.slice(0, -1)},"outputs":{${list('output')}},"resources":[${list('resource')}]}`;
  const next = cursor === undefined ? '' : `,"cursor":${JSON.stringify(cursor)}`;
  return `{"hcl":[${list('hcl')}],"state":${state},"files":[${list('file')}]${next}}`;
}

function blockText({ file, module, data }: PlannableNode): string {
  // Those that are stored since before it was left out have one.
  const text = data.startsWith('{"terraform"')
    ? printRaw(withoutBackend(parseRaw(minifiedJson(data))))
    : data;
  return `${JSON.stringify({ file, module }).slice(0, -1)},"data":${text}}`;
}

function fileText({ file, module, data }: PlannableNode): string {
  return `${JSON.stringify({ filepath: file, module }).slice(0, -1)},${data.slice(1)}`;
}

/** Values of root variables, where Terraform finds them by itself. */
function variablesText(values: readonly PlannableNode[]): string {
  const byName = new Map(values.map(({ address, data }) => [address, data]));
  const text = `{${[...byName].map(([name, data]) => `${JSON.stringify(name)}:${data}`).join(',')}}`;
  return JSON.stringify({
    filepath: 'terraform.tfvars.json',
    module: '',
    content: Buffer.from(text).toString('base64'),
    content_hash: hash('sha256', text, 'hex'),
    mode: '0600',
  });
}
