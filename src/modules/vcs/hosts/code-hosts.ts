import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedProviders } from '../../../platform/discovery/index.js';
import type { CodeHost } from './code-host.js';
import type { Provider } from '../entities/installation.entity.js';

/** Class decorator: this provider is the `CodeHost` of the provider it names. */
export const AdaptsCodeHost = DiscoveryService.createDecorator<string>();

/** The code hosts by their provider. */
@Injectable()
export class CodeHosts implements OnApplicationBootstrap {
  private hosts: ReadonlyMap<string, CodeHost> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    this.hosts = decoratedProviders<CodeHost>(this.discovery, AdaptsCodeHost);
  }

  of(provider: Provider): CodeHost {
    const host = this.hosts.get(provider);
    if (!host) throw new Error(`no code host for ${provider}`);
    return host;
  }
}
