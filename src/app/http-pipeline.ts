import cookieParser from 'cookie-parser';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { RequestMethod } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { usesSessionCookie } from '../modules/access/index.js';
import { ConsoleFiles } from '../modules/console/index.js';
import { ApiReference } from '../modules/server/index.js';
import { Config } from '../platform/config/index.js';
import { ErrorFilter } from '../platform/errors/index.js';
import { refuseCrossOrigin, requestContext, requestValidation } from '../platform/http/index.js';
import { Metrics, requestRecord } from '../platform/metrics/index.js';
import { BodyReading } from './body-reading.js';
import { aliasedPath } from './path-aliases.rules.js';
import { UnknownRoutes } from './unknown-routes.js';

/** Everything between the socket and a controller that is the same for every route. */
export function configureHttp(app: NestExpressApplication, config: Config): void {
  app.disable('x-powered-by');
  app.set('trust proxy', trustedProxies(config.get('SERVICE_TRUST_PROXY')));
  // Etags of small answers would have to be computed from their bytes; routes that want one set it themselves.
  app.set('etag', false);
  app.use(requestContext);
  app.use(requestRecord(app.get(Metrics)));
  app.use(pathAliases);
  const consoleFiles = app.get(ConsoleFiles);
  consoleFiles.load();
  app.use(consoleFiles.handle);
  // Browsers get the page of the console at the same address, where there is a console.
  app.use(app.get(ApiReference).handle);
  app.use('/api/v1', neverStored);
  app.use(helmet());
  const origins = listOf(config.get('SERVICE_CORS_ORIGINS'));
  app.use(
    refuseCrossOrigin({
      uiBase: config.get('SERVICE_UI_BASE'),
      allowed: origins,
      usesCookie: usesSessionCookie,
    }),
  );
  app.use(cookieParser());
  if (origins.length > 0) app.enableCors({ origin: origins, credentials: true });
  prefixRoutes(app);
  app.useGlobalInterceptors(new BodyReading(app.get(Reflector), config.get('SERVICE_JSON_MAX_BODY_SIZE')));
  app.useGlobalPipes(requestValidation);
  app.useGlobalFilters(new ErrorFilter(new UnknownRoutes(app, config), consoleFiles.answerFailure));
}

/**
 * Everything lives below /api/v1, except where a sign-in provider sends people back to (interface.md 4.1) and the routes
 * whose address has the code-hosting provider before the version (4.14).
 */
export function prefixRoutes(app: NestExpressApplication): void {
  app.setGlobalPrefix('api/v1', {
    exclude: [
      { path: 'oauth2/:provider/callback', method: RequestMethod.ALL },
      { path: 'api/github/v1/*path', method: RequestMethod.ALL },
    ],
  });
}

/** Where the framework answers no unknown route itself; call it when every route is there. */
export function answerUnknownPaths(app: NestExpressApplication, config: Config): void {
  app.use(new UnknownRoutes(app, config).handle);
}

/** Answers are of their caller and of their moment; a route that may be stored says so itself. */
function neverStored(_request: Request, response: Response, next: NextFunction): void {
  response.set('Cache-Control', 'no-store');
  next();
}

function pathAliases(request: Request, _response: Response, next: NextFunction): void {
  request.url = aliasedPath(request.url);
  next();
}

/** `1` is a number of hops, `true` and `false` are themselves, anything else a list of addresses or subnets. */
function trustedProxies(text: string): boolean | number | string[] {
  if (text === '' || text === 'false') return false;
  if (text === 'true') return true;
  return /^\d+$/.test(text) ? Number(text) : listOf(text);
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
