import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Principal } from './principal.js';
import type { TokenClaims } from './service-tokens.js';

/** Contributed with `@ResolvesToken('tx')` by the module that signs tokens of that use. */
export interface TokenResolver {
  /** Claims are verified and in date. Undefined: the credential is not valid any more. */
  principalOf(claims: TokenClaims): Promise<Principal | undefined>;
}

/** Class decorator: this provider turns the claims of one kind of signed token into a principal. */
export const ResolvesToken = DiscoveryService.createDecorator<string>();

@Injectable()
export class TokenResolvers implements OnApplicationBootstrap {
  private readonly resolvers = new Map<string, TokenResolver>();

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    for (const wrapper of this.discovery.getProviders()) {
      if (!wrapper.instance || !wrapper.metatype) continue;
      const use = this.discovery.getMetadataByDecorator(ResolvesToken, wrapper);
      if (!use) continue;
      const other = this.resolvers.get(use);
      if (other && other !== wrapper.instance) throw new Error(`two providers resolve tokens of use ${use}`);
      this.resolvers.set(use, wrapper.instance as TokenResolver);
    }
  }

  find(use: string): TokenResolver | undefined {
    return this.resolvers.get(use);
  }
}
