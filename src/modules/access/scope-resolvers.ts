import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedProviders } from '../../platform/discovery/index.js';
import type { AppError } from '../../platform/errors/index.js';
import { type Capability, isUuid } from './grants.js';

/** What a path parameter names, as its module keeps it. */
export interface ScopedRow {
  tenantId: string;
}

/** Contributed by the module that owns a kind of id, with `@ResolvesScope('state')` on a provider. */
export interface ScopeResolver {
  /** The tenant an id belongs to, or undefined. Only called with a well-formed UUID, in lower case. */
  tenantOf(id: string): Promise<string | undefined>;
  /** The row itself, for routes that take it with `@Entered()` instead of reading it a second time. */
  rowOf?(id: string): Promise<ScopedRow | undefined>;
  /** The answer for an unknown id, a malformed one, and one of a tenant the caller is not a member of. */
  notFound(): AppError;
  /** The answer to a member who lacks a capability, when it is not the plain `FORBIDDEN`. */
  lacking?(capability: Capability): AppError | undefined;
}

/** Class decorator: this provider is the `ScopeResolver` of a kind of path parameter. */
export const ResolvesScope = DiscoveryService.createDecorator<string>();

@Injectable()
export class ScopeResolvers implements OnApplicationBootstrap {
  private resolvers: ReadonlyMap<string, ScopeResolver> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    this.resolvers = decoratedProviders<ScopeResolver>(this.discovery, ResolvesScope);
  }

  of(kind: string): ScopeResolver {
    const resolver = this.resolvers.get(kind);
    if (!resolver) throw new Error(`no provider resolves the scope ${kind}`);
    return resolver;
  }

  has(kind: string): boolean {
    return this.resolvers.has(kind);
  }

  async rowOf(kind: string, id: string | undefined): Promise<ScopedRow | undefined> {
    if (!isUuid(id)) return undefined;
    const resolver = this.of(kind);
    if (resolver.rowOf) return resolver.rowOf(id.toLowerCase());
    const tenantId = await resolver.tenantOf(id.toLowerCase());
    return tenantId === undefined ? undefined : { tenantId };
  }

  async tenantOf(kind: string, id: string | undefined): Promise<string | undefined> {
    return isUuid(id) ? this.of(kind).tenantOf(id.toLowerCase()) : undefined;
  }
}
