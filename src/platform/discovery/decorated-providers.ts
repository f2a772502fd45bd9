import type { DiscoveryService } from '@nestjs/core';

type NamingDecorator = ReturnType<typeof DiscoveryService.createDecorator<string>>;

/** The providers whose class carries the decorator, by what it names; throws when two have the same name. */
export function decoratedProviders<Provider>(
  discovery: DiscoveryService,
  decorator: NamingDecorator,
): ReadonlyMap<string, Provider> {
  const found = new Map<string, Provider & object>();
  for (const wrapper of discovery.getProviders()) {
    const provider = wrapper.instance as (Provider & object) | undefined;
    if (!provider || !wrapper.metatype) continue;
    const name = discovery.getMetadataByDecorator(decorator, wrapper);
    if (!name) continue;
    const other = found.get(name);
    if (other && other !== provider)
      throw new Error(
        `two providers are for ${name}: ${other.constructor.name}, ${provider.constructor.name}`,
      );
    found.set(name, provider);
  }
  return found;
}
