import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { SealedColumns, Sealing } from './crypto/index.js';
import { Resealing } from './crypto/resealing.job.js';
import { Secrets } from './crypto/secrets.js';
import { Events } from './events/index.js';
import { PageLinks } from './http/token-page.js';
import { TextThreads } from './threads/text-threads.js';
import { Clock } from './time/clock.js';

/** The services every module may inject without importing anything. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [Clock, Secrets, Sealing, SealedColumns, Resealing, Events, PageLinks, TextThreads],
  exports: [Clock, Secrets, Sealing, SealedColumns, Events, PageLinks, TextThreads],
})
export class PlatformModule {}
