import type { StateContent } from '../../documents/index.js';
import { EVERYTHING, outputKey, type StateEdit } from '../../states/index.js';
import { type GivenNode, outputHash } from '../conflicts/transaction-nodes.store.js';

const OUTPUT = 'output.';

/**
 * What a runner changed: the difference between what it left and what it was given. Others must not have changed what the
 * plan writes; changes of what the runner only read are accepted when nobody else made one.
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
  const changed = changedInstances(left, given).filter(({ node }) =>
    // What is looked up may be looked up by others too.
    isTaken(node.key, node.mode === 'data' ? 'd' : 'w'),
  );
  const instances: StateEdit['instances'][number][] = changed.map(({ node, text, resource }) => {
    const { key, resourceAddress, hash } = node;
    return { key, resourceAddress, text, resource, hash };
  });
  const outputs = new Map<string, string | undefined>();
  for (const [name, text] of left.outputs) {
    const key = outputKey(name);
    if (given.get(key)?.givenHash !== outputHash(text) && isTaken(key)) outputs.set(name, text);
  }
  for (const { key, address, output } of removedNodes(left, given)) {
    if (!isTaken(key)) continue;
    if (output !== undefined) outputs.set(output, undefined);
    else instances.push({ key, resourceAddress: address, text: undefined, resource: undefined });
  }
  if (conflicts.size > 0) return { conflictsWith: [...conflicts].sort() };
  return { instances, outputs, checks: knownChecks(left.checks), terraformVersion: left.terraformVersion };
}

function changedInstances(left: StateContent, given: ReadonlyMap<string, GivenNode>) {
  return [...left.instances.values()].filter(({ node }) => given.get(node.key)?.givenHash !== node.hash);
}

/** What the runner was given and did not leave; `output`: the name of an output. */
function removedNodes(
  left: StateContent,
  given: ReadonlyMap<string, GivenNode>,
): { key: string; address: string; output: string | undefined }[] {
  return [...given.values()].flatMap(({ key, address, givenHash }) => {
    if (givenHash === null) return [];
    const name = address.startsWith(OUTPUT) ? address.slice(OUTPUT.length) : undefined;
    const output = name !== undefined && outputKey(name) === key ? name : undefined;
    const isLeft = output === undefined ? left.instances.has(key) : left.outputs.has(output);
    return isLeft ? [] : [{ key, address, output }];
  });
}

/** A run over a part of the configuration does not know the others' results; what it says `unknown` of stays as it was. */
function knownChecks(checks: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    [...checks].filter(([, text]) => (JSON.parse(text) as { status?: unknown }).status !== 'unknown'),
  );
}
