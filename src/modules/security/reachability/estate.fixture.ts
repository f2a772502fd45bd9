import fc from 'fast-check';
import { type Json, UNKNOWN } from '../engine/attribute-path.rules.js';
import { NETWORK_ATTRIBUTES } from './network-attributes.js';
import type { NetworkInstance, ReachabilityRules } from './reachability.js';

/** `type.name` to attributes. */
export type Estate = Record<string, Record<string, Json>>;

/** An estate in which `address` is reachable, and the change that closes it. */
export type Case = [name: string, estate: Estate, address: string, change: Estate];

/** As estates keep them: of the attributes only those that rules are said to read. */
export function instancesOf(estate: Estate): NetworkInstance[] {
  return Object.entries(estate).map(([address, attributes]) => ({
    ref: address,
    stateId: 's',
    address,
    type: address.split('.')[0] ?? '',
    attributes: Object.fromEntries(
      Object.entries(attributes).filter(([name]) => NETWORK_ATTRIBUTES.has(name)),
    ),
  }));
}

export function reachOf(rules: ReachabilityRules, estate: Estate, address: string): string | undefined {
  return rules.judge(instancesOf(estate)).find(({ ref }) => ref === address)?.reach;
}

/** The estate with some attributes of one instance replaced. */
export function changed(estate: Estate, address: string, attributes: Record<string, Json>): Estate {
  return { [address]: { ...estate[address], ...attributes } };
}

const json = fc.oneof(fc.jsonValue(), fc.constant(UNKNOWN)) as fc.Arbitrary<Json>;

/** Instances of the types that rules know, with attributes of any JSON type and ids that meet. */
export function anyInstances(
  rules: ReachabilityRules,
  names: readonly string[],
): fc.Arbitrary<NetworkInstance[]> {
  const id = fc.constantFrom('a', 'b', 'arn:c');
  const block = fc.oneof(json, id, fc.array(fc.dictionary(fc.constantFrom(...names), fc.oneof(json, id))));
  const attributes = fc.dictionary(fc.constantFrom(...names), block, { maxKeys: names.length });
  return fc.array(fc.tuple(fc.constantFrom(...rules.types), attributes), { maxLength: 20 }).map((list) =>
    list.map(([type, given], index) => ({
      ref: String(index),
      stateId: 's',
      address: `${type}.x`,
      type,
      attributes: given,
    })),
  );
}
