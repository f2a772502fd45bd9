import type { StateContent } from '../../documents/index.js';
import { EVERYTHING, outputKey, type StateEdit } from '../../states/index.js';
import { type GivenNode, outputHash } from '../conflicts/transaction-nodes.store.js';

const OUTPUT = 'output.';

/**
 * What a runner changed: what it left against what it was given. What the plan said it would write must not have been
 * changed by others meanwhile; what it only looked at is taken when nobody else changed it.
 */
export function reportedEdit(
  left: StateContent,
  given: ReadonlyMap<string, GivenNode>,
  others: ReadonlyMap<string, string>,
): StateEdit | { conflictsWith: string[] } {
  const conflicts = new Set<string>();
  const isTaken = (key: string, unknown: GivenNode['access'] = 'w'): boolean => {
    const other = others.get(key) ?? others.get(EVERYTHING);
    if (other === undefined) return true;
    const access = given.get(key)?.access ?? unknown;
    if (access === 'w') conflicts.add(other);
    return false;
  };
  const instances: StateEdit['instances'][number][] = [];
  for (const { node, text, resource } of left.instances.values()) {
    if (given.get(node.key)?.givenHash === node.hash) continue;
    // What is looked up may be looked up by others too.
    if (!isTaken(node.key, node.mode === 'data' ? 'd' : 'w')) continue;
    const { key, resourceAddress, hash } = node;
    instances.push({ key, resourceAddress, text, resource, hash });
  }
  const outputs = new Map<string, string | undefined>();
  for (const [name, text] of left.outputs) {
    const key = outputKey(name);
    if (given.get(key)?.givenHash !== outputHash(text) && isTaken(key)) outputs.set(name, text);
  }
  for (const { key, address, givenHash } of given.values()) {
    if (givenHash === null) continue;
    const output = address.startsWith(OUTPUT) ? address.slice(OUTPUT.length) : undefined;
    const isOutput = output !== undefined && outputKey(output) === key;
    if (isOutput ? left.outputs.has(output) : left.instances.has(key)) continue;
    if (!isTaken(key)) continue;
    if (isOutput) outputs.set(output, undefined);
    else instances.push({ key, resourceAddress: address, text: undefined, resource: undefined });
  }
  if (conflicts.size > 0) return { conflictsWith: [...conflicts].sort() };
  return { instances, outputs, checks: knownChecks(left.checks), terraformVersion: left.terraformVersion };
}

/** A run over a part of the configuration does not know the others' results; what it says `unknown` of stays as it was. */
function knownChecks(checks: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    [...checks].filter(([, text]) => (JSON.parse(text) as { status?: unknown }).status !== 'unknown'),
  );
}
