import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import type {
  ClientIdView,
  ServerCapabilitiesView,
  ServerConfigView,
  ServerVersionView,
} from './dto/server.dto.js';
import { STATE_SCHEMA_VERSION } from '../transactions/index.js';
import { serverVersion } from './versions.js';

@Injectable()
export class ServerService {
  constructor(private readonly settings: Config) {}

  version(): ServerVersionView {
    return { version: serverVersion(), state_schema_version: STATE_SCHEMA_VERSION };
  }

  capabilities(): ServerCapabilitiesView {
    return {
      costs: { enabled: this.settings.get('SERVICE_COST_ENABLED') },
      security: { enabled: this.settings.get('SERVICE_SECURITY') },
      dedicated: { enabled: false },
    };
  }

  config(): ServerConfigView {
    return {};
  }

  clientId(): ClientIdView {
    const { github } = this.config();
    if (!github) throw httpErrors.FORBIDDEN('no app of this provider is configured');
    return { client_id: github.app_client_id };
  }
}
