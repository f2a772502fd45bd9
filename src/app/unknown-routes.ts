import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import type { Config } from '../platform/config/index.js';
import { type AppError, httpErrors, noRoute, type UnknownAnswers } from '../platform/errors/index.js';
import { backendAddressFor, isBackendAddress, looksLikeBackend } from './backend-address.rules.js';

interface RouteLayer {
  match(path: string): boolean;
  route?: { path: unknown; methods: Record<string, boolean> };
}

/** What is answered where no route serves the method and path of a request. */
export class UnknownRoutes implements UnknownAnswers {
  private readonly base: string;

  constructor(
    private readonly app: NestExpressApplication,
    config: Config,
  ) {
    this.base = config.get('SERVICE_UI_BASE');
  }

  /** As the last handler: below the prefix the framework hands unknown routes to the error filter, elsewhere to nobody. */
  readonly handle = (request: Request, response: Response): void => {
    const { status, id, message, headers } = this.answer(request);
    response.locals['errorId'] = id;
    response
      .status(status)
      .set({ 'Cache-Control': 'no-store', ...headers })
      .json({ id, data: message });
  };

  /** Terraform takes 404 for "new state" and creates all infrastructure again: no mistyped address may answer it. */
  readonly answer = (request: Request): AppError => {
    const path = pathOf(request);
    if (looksLikeBackend(request.method, path)) return this.mistyped(request);
    const allowed = this.methodsOf(path);
    if (allowed.length > 0)
      return httpErrors.METHOD_NOT_ALLOWED(`${path} accepts ${allowed.join(', ')}`, {
        Allow: allowed.join(', '),
      });
    return isFromTerraform(request) ? this.mistyped(request) : noRoute(request);
  };

  /** A route that is served, and whose object does not exist: Terraform reads no route but the backend's. */
  readonly notFound = (request: Request, error: AppError): AppError => {
    if (request.method !== 'GET' || !isFromTerraform(request) || isBackendAddress(pathOf(request)))
      return error;
    return this.mistyped(request);
  };

  private mistyped(request: Request): AppError {
    const path = pathOf(request);
    return httpErrors.INVALID_REQUEST(
      `no route ${request.method} ${path}; the address of a Terraform backend is ${backendAddressFor(this.base, path)}`,
    );
  }

  private methodsOf(path: string): string[] {
    // Express's types leave out how a layer is asked whether it serves a path.
    const { router } = this.app.getHttpAdapter().getInstance() as unknown as {
      router: { stack: RouteLayer[] };
    };
    const methods = router.stack
      .filter((layer) => layer.route && !isCatchAll(layer.route.path) && layer.match(path))
      .flatMap((layer) => Object.keys(layer.route?.methods ?? {}));
    return [...new Set(methods)].map((method) => method.toUpperCase()).sort();
  }
}

function pathOf(request: Request): string {
  return request.originalUrl.split('?', 1)[0] ?? '';
}

/** The framework answers unknown routes below the prefix from routes of its own. */
function isCatchAll(path: unknown): boolean {
  return typeof path !== 'string' || path.includes('*');
}

/** The backend's client names only the library it is written with, and sends Basic credentials, as few others do. */
function isFromTerraform({ headers }: Request): boolean {
  return (
    /^(Go-http-client|.*(terraform|opentofu))/i.test(headers['user-agent'] ?? '') &&
    /^basic\s/i.test(headers.authorization ?? '')
  );
}
