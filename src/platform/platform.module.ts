import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Secrets } from './crypto/secrets.js';
import { Events } from './events/index.js';
import { Clock } from './time/clock.js';

/** The services every module may inject without importing anything. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [Clock, Secrets, Events],
  exports: [Clock, Secrets, Events],
})
export class PlatformModule {}
