import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedProviders } from '../../platform/discovery/index.js';
import type { AppError } from '../../platform/errors/index.js';
import { isUuid } from '../../platform/text/uuid.js';
import type { Capability } from './grants.js';
import type { Principal } from './principal.js';

/** What a path parameter names, as its module keeps it. */
export interface ScopedRow {
  tenantId: string;
  /** of a transaction: the credential that began it */
  madeWith?: string | null;
}

/** Contributed by the module that owns a kind of id, with `@ResolvesScope('state')` on a provider. */
export interface ScopeResolver {
  /** What an id names: its tenant, and whatever routes take with `@Entered()`. Ids are UUIDs in lower case. */
  rowOf(id: string): Promise<ScopedRow | undefined>;
  /** False for a caller whose credential is limited to other ids of this kind: to such a caller the id is unknown. */
  reaches?(caller: Principal, id: string): boolean;
  /** The tenants of many ids by one query, for a kind that grants name; unknown ids are left out. */
  tenantsOf?(ids: readonly string[]): Promise<Record<string, string>>;
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
    return isUuid(id) ? this.of(kind).rowOf(id.toLowerCase()) : undefined;
  }

  /** By id; none for a kind that grants do not name. */
  async tenantsOf(kind: string, ids: readonly string[]): Promise<Record<string, string>> {
    return (ids.length > 0 && (await this.resolvers.get(kind)?.tenantsOf?.(ids))) || {};
  }
}
