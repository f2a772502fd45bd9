import { Injectable, type OnApplicationBootstrap, SetMetadata, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedMethods } from '../discovery/index.js';

const HANDLES = 'platform:handles-event';

/** Marks a provider's method as a subscriber: it is awaited inside the publisher's transaction. */
export const HandlesEvent = (event: Type<unknown>): MethodDecorator => SetMetadata(HANDLES, event);

type Handler = (event: unknown) => Promise<void> | void;

/** Events owned by a lower module and answered by higher ones, in the same transaction, in order of discovery. */
@Injectable()
export class Events implements OnApplicationBootstrap {
  private readonly handlers = new Map<unknown, Handler[]>();

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    for (const { metadata: event, method } of decoratedMethods<Type<unknown>, Handler>(
      this.discovery,
      HANDLES,
    ))
      this.handlers.set(event, [...(this.handlers.get(event) ?? []), method]);
  }

  async publish(event: object): Promise<void> {
    for (const handler of this.handlers.get(event.constructor) ?? []) await handler(event);
  }
}
