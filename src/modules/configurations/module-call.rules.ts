import { type Edge, type NodeShape, prefixOf } from './configuration-edge.js';
import { contentHash, type ConfigurationNode } from './configuration-node.rules.js';
import { bodiesOf, COMMENT, type HclBlock, providerName } from './hcl-block.rules.js';
import { inheritedProvider, providerPoint } from './provider-edges.rules.js';
import { rawBodies } from './raw-body.rules.js';
import { isRecord } from '../../platform/json/is-record.js';

/** Arguments of a module call that Terraform reads itself. */
const META = new Set(['source', 'version', 'count', 'for_each', 'depends_on', 'providers']);

/** The arguments of a call for Terraform, or those for the module, as a body. */
export function callArguments(
  block: HclBlock,
  { isMeta }: { isMeta: boolean },
): [name: string, value: unknown][] {
  return bodiesOf(block).flatMap((body) =>
    Object.entries(body).filter(([name]) => META.has(name) === isMeta && name !== COMMENT),
  );
}

/** A call changes as a whole with what Terraform reads of it, and each of its other arguments for itself. */
export function callParts({ id, data }: ConfigurationNode): NodeShape['parts'] {
  const members = rawBodies(data, 2)
    .flat()
    .filter(([name]) => name !== COMMENT);
  const meta = members.filter(([name]) => META.has(name));
  const others = members.filter(([name]) => !META.has(name));
  return new Map([
    [id, contentHash({ entries: meta })],
    ...others.map(([name, raw]): [string, string] => [`${id}=${name}`, contentHash(raw)]),
  ]);
}

/** What holds for everything inside, and the names for all of it that others use. */
export function callEdges({ id, module }: ConfigurationNode, block: HclBlock): Edge[] {
  const affects = (source: string, target: string): Edge => ({ source, target, kind: 'affects' });
  const needs = (target: string): Edge => ({ source: id, target, kind: 'needs' });
  return [
    ...callArguments(block, { isMeta: false }).map(([name]) => needs(`${id}=${name}`)),
    ...['#self', '#all', '#outputs'].map((hub) => affects(`${id}${hub}`, id)),
    ...(module === '' ? [] : [affects(`${module}#all`, id), affects(`${module}#all`, `${id}#all`)]),
    ...passedProviders(block).flatMap(([inside, outside]) => [
      affects(`${prefixOf(id)}provider.${inside}`, providerPoint(module, outside)),
      // Terraform wants what is passed on to exist, used or not.
      needs(providerPoint(module, outside)),
      ...inheritedProvider(module, outside),
    ]),
  ];
}

function passedProviders(block: HclBlock): [inside: string, outside: string][] {
  return bodiesOf(block)
    .flatMap(({ providers }): unknown[] => (Array.isArray(providers) ? providers : [providers]))
    .filter(isRecord)
    .flatMap((map) => Object.entries(map))
    .flatMap(([inside, outside]): [string, string][] =>
      typeof outside === 'string' ? [[inside, providerName(outside)]] : [],
    );
}
