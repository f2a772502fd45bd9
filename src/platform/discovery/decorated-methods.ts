import { type DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';

/** A provider's method that a decorator marked, bound to its provider. */
export interface DecoratedMethod<Metadata, Method> {
  /** what the decorator said */
  metadata: Metadata;
  method: Method;
}

const scanner = new MetadataScanner();
const reflector = new Reflector();

/** All methods of all providers that carry metadata of this key, in order of discovery. */
export function decoratedMethods<Metadata, Method extends (...args: never[]) => unknown>(
  discovery: DiscoveryService,
  key: string,
): DecoratedMethod<Metadata, Method>[] {
  return discovery.getProviders().flatMap(({ instance }) => {
    if (!instance || typeof instance !== 'object') return [];
    const provider = instance as Record<string, Method>;
    return scanner.getAllMethodNames(Object.getPrototypeOf(provider) as object).flatMap((name) => {
      const method = provider[name];
      const metadata = method && reflector.get<Metadata | undefined>(key, method);
      return metadata === undefined ? [] : [{ metadata, method: method?.bind(provider) as Method }];
    });
  });
}
