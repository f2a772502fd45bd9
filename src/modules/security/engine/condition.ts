/** A value that a condition compares with. Numbers and booleans equal their text: state documents hold both. */
export type Scalar = string | number | boolean | null;

export const COMPARISONS = [
  ...['eq', 'ne', 'eqi', 'in', 'nin', 'ini', 'gt', 'ge', 'lt', 'le', 'lt_or_absent', 'contains', 'regex'],
  ...['true', 'nottrue', 'false', 'notfalse', 'truthy', 'nottruthy', 'falsy', 'empty', 'notempty'],
] as const;
export type Comparison =
  | ('eq' | 'ne' | 'eqi' | 'in' | 'nin' | 'ini' | 'gt' | 'ge' | 'lt' | 'le' | 'lt_or_absent' | 'contains')
  | (
      | 'regex'
      | 'true'
      | 'nottrue'
      | 'false'
      | 'notfalse'
      | 'truthy'
      | 'nottruthy'
      | 'falsy'
      | 'empty'
      | 'notempty'
    );

/** A statement of an IAM-style policy, all of whose given members must match. */
export interface PolicyPattern {
  readonly effect: 'Allow' | 'Deny';
  /** `*`: the statement names everybody, as `"*"` or `{"AWS": "*"}` */
  readonly principal?: string;
  /** the statement allows this action, by name or by a wildcard that covers it; `*` only matches "all actions" */
  readonly action?: string;
  /** the action must stand there literally; a wildcard that covers it does not match */
  readonly exactAction?: boolean;
  readonly resource?: string;
  /** the statement has no `Condition` */
  readonly noCondition?: boolean;
  /** makes `<service>:*` count as all actions */
  readonly service?: string;
}

/**
 * A condition as plain data. Paths are names joined by dots, relative to the attributes of the instance, or to the
 * element inside `some`, `containers`, `podspec` and `podcontainers`; the empty path is that element itself.
 */
export type Condition =
  | { readonly a: string; readonly op: Comparison; readonly v?: Scalar | readonly Scalar[] }
  | { readonly any: readonly Condition[] }
  | { readonly all: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly some: string; readonly where: Condition }
  | { readonly world: readonly string[] }
  | { readonly linked: LinkedPattern }
  | { readonly always: true }
  | { readonly present: string }
  | { readonly rtype: readonly string[] }
  | { readonly ports: readonly number[]; readonly from: string; readonly to: string; readonly proto: string }
  | { readonly azworld: readonly string[] }
  | { readonly azports: readonly string[]; readonly v: readonly number[] }
  | { readonly gcpports: string; readonly v: readonly number[] }
  | { readonly policy: string; readonly statement: PolicyPattern }
  | { readonly secret: string; readonly base64: boolean }
  | { readonly containsAll: string; readonly v: readonly Scalar[] }
  | { readonly durationOver: string; readonly days: number }
  | { readonly containers: string; readonly where: Condition }
  | { readonly podspec: Condition }
  | { readonly podcontainers: Condition }
  | { readonly imagetag: string };

export interface LinkedPattern {
  readonly type: readonly string[];
  /** attribute of the other resource that holds an id, ARN or name of this one */
  readonly via: string;
  readonly where?: Condition;
}

export const eq = (a: string, v: Scalar): Condition => ({ a, op: 'eq', v });
/** True of an absent attribute as well. */
export const ne = (a: string, v: Scalar): Condition => ({ a, op: 'ne', v });
/** Equal without regard to case. */
export const eqi = (a: string, v: string): Condition => ({ a, op: 'eqi', v });
/** `null` and `''` in the list stand for an absent attribute. */
export const isIn = (a: string, v: readonly Scalar[]): Condition => ({ a, op: 'in', v });
export const notIn = (a: string, v: readonly Scalar[]): Condition => ({ a, op: 'nin', v });
export const isInIgnoringCase = (a: string, v: readonly string[]): Condition => ({ a, op: 'ini', v });
export const greaterThan = (a: string, v: number): Condition => ({ a, op: 'gt', v });
export const atLeast = (a: string, v: number): Condition => ({ a, op: 'ge', v });
export const lessThan = (a: string, v: number): Condition => ({ a, op: 'lt', v });
export const atMost = (a: string, v: number): Condition => ({ a, op: 'le', v });
export const lessThanOrAbsent = (a: string, v: number): Condition => ({ a, op: 'lt_or_absent', v });
/** A list that has the value, or a text that has it as a part. */
export const contains = (a: string, v: Scalar): Condition => ({ a, op: 'contains', v });
/** RE2 syntax, searched anywhere in the text; runs in linear time. */
export const matches = (a: string, pattern: string): Condition => ({ a, op: 'regex', v: pattern });
/** `true`, or "true" in any case. */
export const isTrue = (a: string): Condition => ({ a, op: 'true' });
/** False or absent: for attributes whose default is false. */
export const notTrue = (a: string): Condition => ({ a, op: 'nottrue' });
export const isFalse = (a: string): Condition => ({ a, op: 'false' });
/** True or absent: for attributes whose default is true. */
export const notFalse = (a: string): Condition => ({ a, op: 'notfalse' });
/** true, yes, on, y or 1, as text or value. */
export const truthy = (a: string): Condition => ({ a, op: 'truthy' });
export const notTruthy = (a: string): Condition => ({ a, op: 'nottruthy' });
/** false, no, off, n or 0, as text or value; not absent. */
export const falsy = (a: string): Condition => ({ a, op: 'falsy' });
/** Absent, null, '', [] or {}. */
export const isEmpty = (a: string): Condition => ({ a, op: 'empty' });
export const notEmpty = (a: string): Condition => ({ a, op: 'notempty' });

export const not = (condition: Condition): Condition => ({ not: condition });
export const any = (...conditions: readonly Condition[]): Condition => ({ any: conditions });
export const all = (...conditions: readonly Condition[]): Condition => ({ all: conditions });
/** Some element of the list (or the single object) at the path satisfies the condition. */
export const some = (path: string, where: Condition): Condition => ({ some: path, where });
/** The existence of the resource is the finding. */
export const always: Condition = { always: true };
/** The key exists and is not null; an empty list or object counts as present. */
export const present = (path: string): Condition => ({ present: path });
/** The instance is of one of these types. */
export const ofType = (...types: readonly string[]): Condition => ({ rtype: types });
/** One of the attributes holds a /0 CIDR of either family, or `*`. */
export const world = (...paths: readonly string[]): Condition => ({ world: paths });
/** AWS rules: the protocol is "all", or the range covers one of the ports; ICMP never matches. */
export const coversPorts = (
  ports: readonly number[],
  names: { from: string; to: string; protocol: string },
): Condition => ({
  ports,
  from: names.from,
  to: names.to,
  proto: names.protocol,
});
/** Azure: one of the attributes holds `*`, `0.0.0.0`, `Internet`, `Any` or a /0 prefix. */
export const azureWorld = (...paths: readonly string[]): Condition => ({ azworld: paths });
/** Azure port strings ("22", "20-30", "*", comma lists) that cover one of the ports. */
export const azurePorts = (ports: readonly number[], ...paths: readonly string[]): Condition => ({
  azports: paths,
  v: ports,
});
/** Google firewall port lists; an empty list means all ports. */
export const googlePorts = (ports: readonly number[], path: string): Condition => ({
  gcpports: path,
  v: ports,
});
/** The JSON policy at the path has a statement that matches all given members. */
export const policyHas = (path: string, statement: PolicyPattern): Condition => ({ policy: path, statement });
/** The text or map of texts holds an access key id or a password assignment; `base64`: decoded first. */
export const holdsSecret = (path: string, options: { base64?: boolean } = {}): Condition => ({
  secret: path,
  base64: options.base64 ?? false,
});
export const containsAll = (path: string, v: readonly Scalar[]): Condition => ({ containsAll: path, v });
/** A duration like "7776000s" that is absent or longer than so many days. */
export const durationOver = (path: string, days: number): Condition => ({ durationOver: path, days });
/** Some container of an ECS `container_definitions` JSON text satisfies the condition. */
export const someContainer = (path: string, where: Condition): Condition => ({ containers: path, where });
/** The pod specification of a Kubernetes workload of any kind satisfies the condition. */
export const podSpec = (where: Condition): Condition => ({ podspec: where });
/** Some container or init container of a Kubernetes workload satisfies the condition. */
export const podContainers = (where: Condition): Condition => ({ podcontainers: where });
/** The image has no tag and no digest, or the tag `latest`. */
export const imageWithoutTag = (path: string): Condition => ({ imagetag: path });
/** Another resource in any state of the tenant names this one in its attribute `via`. */
export const linked = (pattern: { types: readonly string[]; via: string; where?: Condition }): Condition => ({
  linked: {
    type: pattern.types,
    via: pattern.via,
    ...(pattern.where === undefined ? {} : { where: pattern.where }),
  },
});
