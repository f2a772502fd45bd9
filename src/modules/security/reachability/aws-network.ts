import { type AclFilter, aclFilterOf } from './aws-network-acls.rules.js';
import { type InternetRoute, routesOf } from './aws-routes.rules.js';
import { type Admission, admissionsOf, groupsOf } from './aws-security-groups.rules.js';
import { knownText, NetworkIndex } from './network-index.js';
import { rangesOf, textOfRanges } from './port-ranges.rules.js';
import type { NetworkInstance } from './reachability.js';
import { CLOSED, reachable, UNDECIDED, type Verdict, Verdicts } from './verdict.js';

const ID_NAMES = ['id', 'arn', 'bucket', 'url', 'function_name', 'name', 'identifier', 'dns_name'];

interface Admitted {
  step: string;
  ports: string;
}

/** The AWS network of a tenant with the verdicts so far: what all rules of the provider ask. */
export class AwsNetwork {
  readonly index: NetworkIndex;
  readonly verdicts = new Verdicts();
  readonly admissions: ReadonlyMap<string, Admission>;
  private readonly routeOf: (subnetId: string | undefined) => InternetRoute;
  private readonly filter: AclFilter;

  constructor(instances: readonly NetworkInstance[]) {
    this.index = new NetworkIndex(instances, ID_NAMES);
    this.admissions = admissionsOf(this.index);
    this.routeOf = routesOf(this.index);
    this.filter = aclFilterOf(this.index);
  }

  ofTypes(...types: readonly string[]): NetworkInstance[] {
    return this.index.ofTypes(...types);
  }

  find(id: string | undefined, ...types: readonly string[]): NetworkInstance | undefined {
    return id === undefined ? undefined : this.index.find(id, ...types);
  }

  set(instance: NetworkInstance, verdict: Verdict): void {
    this.verdicts.set(instance.ref, verdict, groupsOf(instance.attributes));
  }

  /** The same, unless the instance was found reachable before. */
  setUnlessReachable(instance: NetworkInstance, verdict: Verdict): void {
    if (!this.verdicts.isReachable(instance.ref)) this.set(instance, verdict);
  }

  /** The way through a route, the access control list and a security group to something with a public address. */
  way(
    name: string | undefined,
    groups: readonly string[],
    subnets: readonly (string | undefined)[],
  ): Verdict {
    const places = subnets.length > 0 ? subnets : [undefined];
    let isUnclear = false;
    for (const subnet of places) {
      const admitted = this.admitted(groups, subnet);
      if (admitted === 'unknown') isUnclear = true;
      if (admitted === 'unknown' || admitted === undefined) continue;
      const route = this.routeOf(subnet);
      if (route === 'none') continue;
      const gateway = route === 'unknown' ? 'route unknown' : route.gateway;
      return reachable([gateway, admitted.step, name], admitted.ports);
    }
    return isUnclear ? UNDECIDED : CLOSED;
  }

  /** What groups and list admit from the whole internet; `unknown` when one of them is not known. */
  admitted(groups: readonly string[], subnetId?: string): Admitted | 'unknown' | undefined {
    let isUnclear = groups.length === 0;
    for (const group of groups) {
      const admission = this.admissions.get(group);
      if (admission?.unknown ?? true) isUnclear = true;
      const list = [...(admission?.ports ?? [])].sort().join(', ');
      if (list === '') continue;
      const open = this.filter(subnetId, rangesOf(list) ?? []);
      if (open === 'unknown') isUnclear = true;
      else if (open.length > 0) {
        const ports = textOfRanges(open);
        return { step: `${group}:${ports}`, ports };
      }
    }
    return isUnclear ? 'unknown' : undefined;
  }

  /** Whether one of the groups admits everybody, or one of the groups in front. */
  admitsFrom(groups: readonly string[], fronts: readonly string[]): boolean {
    return groups.some((group) => {
      const admission = this.admissions.get(group);
      return (
        admission !== undefined &&
        (admission.ports.size > 0 || fronts.some((front) => admission.groups.has(front)))
      );
    });
  }
}

export function nameOf({ attributes }: NetworkInstance): string | undefined {
  return knownText(attributes, 'arn') ?? knownText(attributes, 'id');
}
