import { Controller, Get } from '@nestjs/common';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Accepts, Public, SignedIn } from '../access/index.js';
import {
  ClientIdView,
  ServerCapabilitiesView,
  ServerConfigView,
  ServerVersionView,
} from './dto/server.dto.js';
import { OpenApiDocument } from './openapi-document.js';
import { ServerService } from './server.service.js';

@Controller()
export class ServerController {
  constructor(
    private readonly server: ServerService,
    private readonly openApi: OpenApiDocument,
  ) {}

  /** Versions of the server and of the schema that clients write. */
  @Get('version')
  @SignedIn()
  @Accepts('run')
  @Answers(200, ServerVersionView)
  version(): ServerVersionView {
    return this.server.version();
  }

  /** Shows which features this installation has switched on. */
  @Get('capabilities')
  @SignedIn()
  @Answers(200, ServerCapabilitiesView)
  capabilities(): Promise<ServerCapabilitiesView> {
    return this.server.capabilities();
  }

  /** Code-hosting providers that are configured. */
  @Get('server/config')
  @Public()
  @Answers(200, ServerConfigView)
  config(): Promise<ServerConfigView> {
    return this.server.config();
  }

  /** Client id of the first provider's app; 403 where none is configured. */
  @Get('github/client_id')
  @Public()
  @Answers(200, ClientIdView)
  @Refuses(403)
  clientId(): ClientIdView {
    return this.server.clientId();
  }

  /** This description. */
  @Get('openapi')
  @SignedIn()
  @Answers(200, { type: 'object', additionalProperties: true })
  openapi(): object {
    return this.openApi.document();
  }
}
