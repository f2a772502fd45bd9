import { type INestApplication, Injectable } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ErrorBody } from '../../platform/http/index.js';
import { SESSION_COOKIE } from '../access/index.js';
import { completeDocument } from './openapi.rules.js';
import { serverVersion } from './versions.js';

/** The description of a whole application; docs/openapi.json is the same, committed. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Infrastructure State Service')
    .setDescription(
      'Stores Terraform and OpenTofu state for many tenants as a graph of resources that can be queried.',
    )
    .setVersion(serverVersion())
    .addServer('/', 'the service that serves this document')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'API key or session token' }, 'bearer')
    .addBasicAuth(
      { type: 'http', scheme: 'basic', description: 'any user name, the API key as password' },
      'basic',
    )
    .addCookieAuth(SESSION_COOKIE, { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE }, 'session');
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: [ErrorBody],
    operationIdFactory: operationId,
  });
  return completeDocument(document);
}

/** `TenantStatesController.list` → `tenantStatesList`: stable as long as the code's own names are. */
function operationId(controller: string, method: string): string {
  const subject = controller.replace(/Controller$/, '');
  return (
    subject.charAt(0).toLowerCase() + subject.slice(1) + method.charAt(0).toUpperCase() + method.slice(1)
  );
}

/** Holds the description of the running application; made when it is first asked for. */
@Injectable()
export class OpenApiDocument {
  private app: INestApplication | undefined;
  private made: OpenAPIObject | undefined;

  describe(app: INestApplication): void {
    this.app = app;
  }

  document(): OpenAPIObject {
    if (!this.app) throw new Error('the application was not handed over at boot');
    this.made ??= describeApi(this.app);
    return this.made;
  }
}
