import { type Edge, type EdgeKind, prefixOf } from './configuration-edge.js';

/** The provider a resource has when it names none: `aws` for `aws_vpc`. */
export function impliedProvider(type: string): string {
  return type.split('_')[0] ?? type;
}

/** The point of a provider as a module calls it: `module.net.provider.aws.west`. */
export function providerPoint(module: string, name: string): string {
  return `${prefixOf(module)}provider.${name}`;
}

/** The point of what a module requires of a provider. */
export function requirementPoint(module: string, name: string): string {
  return `${prefixOf(module)}required.${name.split('.')[0] ?? ''}`;
}

/** What it means that something in a module uses a provider. */
export function usedProvider(
  source: string,
  module: string,
  name: string,
  kind: EdgeKind = 'affects',
): Edge[] {
  return [
    { source, target: requirementPoint(module, name), kind },
    { source, target: providerPoint(module, name), kind },
    ...inheritedProvider(module, name),
  ];
}

/**
 * A module that has no configuration of a provider takes that of its caller, and so on up to the root. Those with an
 * alias are only ever passed on by name.
 */
export function inheritedProvider(module: string, name: string): Edge[] {
  if (name.includes('.')) return [];
  const edges: Edge[] = [];
  for (let path = module; path !== '';) {
    const caller = callerOf(path);
    edges.push({
      source: providerPoint(path, name),
      target: providerPoint(caller, name),
      kind: 'inherits',
    });
    path = caller;
  }
  return edges;
}

/** `module.a.module.b` → `module.a`, `module.a` → the root. */
function callerOf(module: string): string {
  return module.split('.').slice(0, -2).join('.');
}
