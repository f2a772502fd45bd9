import { Injectable, SetMetadata, Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { OnApplicationBootstrap } from '@nestjs/common';

const HANDLES = 'platform:handles-event';

/** Marks a provider's method as a subscriber: it is awaited inside the publisher's transaction. */
export const HandlesEvent = (event: Type<unknown>): MethodDecorator => SetMetadata(HANDLES, event);

type Handler = (event: unknown) => Promise<void> | void;

/** Events owned by a lower module and answered by higher ones, in the same transaction, in order of discovery. */
@Injectable()
export class Events implements OnApplicationBootstrap {
  private readonly handlers = new Map<unknown, Handler[]>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
    private readonly scanner: MetadataScanner,
  ) {}

  onApplicationBootstrap(): void {
    for (const { instance } of this.discovery.getProviders()) {
      if (!instance || typeof instance !== 'object') continue;
      const target = instance as Record<string, Handler>;
      for (const name of this.scanner.getAllMethodNames(Object.getPrototypeOf(target) as object)) {
        const method = target[name];
        const event = method && this.reflector.get<Type<unknown> | undefined>(HANDLES, method);
        if (method && event)
          this.handlers.set(event, [...(this.handlers.get(event) ?? []), method.bind(target)]);
      }
    }
  }

  async publish(event: object): Promise<void> {
    for (const handler of this.handlers.get(event.constructor) ?? []) await handler(event);
  }
}
