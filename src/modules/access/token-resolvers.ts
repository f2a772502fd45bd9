import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedProviders } from '../../platform/discovery/index.js';
import type { Grants } from './grants.js';
import type { Principal } from './principal.js';
import type { TokenClaims } from './service-tokens.js';

/** Contributed with `@ResolvesToken('tx')` by the module that signs tokens of that use. */
export interface TokenResolver {
  /** Claims are verified and in date. Undefined: the credential is not valid any more. */
  principalOf(claims: TokenClaims): Promise<Principal | undefined>;
  /**
   * What a credential of this kind limits tokens to that were made with it; undefined once it has ended. Without it no
   * tokens can be made with credentials of this kind.
   */
  originOf?(id: string): Promise<OriginLimits | undefined>;
}

/** Limits of a token that come from the credential that it was made with. */
export interface OriginLimits {
  /** null when no rule matched */
  rule_ids: string[] | null;
  state_bound: boolean;
  tenant_ceiling: string[] | null;
  /** what the credential holds by itself, beside what its user holds */
  held?: Grants;
}

/** Class decorator: this provider turns the claims of one kind of signed token into a principal. */
export const ResolvesToken = DiscoveryService.createDecorator<string>();

@Injectable()
export class TokenResolvers implements OnApplicationBootstrap {
  private resolvers: ReadonlyMap<string, TokenResolver> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    this.resolvers = decoratedProviders<TokenResolver>(this.discovery, ResolvesToken);
  }

  find(use: string): TokenResolver | undefined {
    return this.resolvers.get(use);
  }
}
