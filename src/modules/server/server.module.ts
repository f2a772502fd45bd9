import { Module } from '@nestjs/common';
import { VcsModule } from '../vcs/index.js';
import { ApiReference } from './api-reference.js';
import { OpenApiDocument } from './openapi-document.js';
import { ServerController } from './server.controller.js';
import { ServerService } from './server.service.js';

/** Version, flags, configuration and description of the server itself. */
@Module({
  imports: [VcsModule],
  controllers: [ServerController],
  providers: [ServerService, OpenApiDocument, ApiReference],
  exports: [OpenApiDocument, ApiReference],
})
export class ServerModule {}
