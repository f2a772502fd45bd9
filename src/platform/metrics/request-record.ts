import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { isSwitchedOff } from '../errors/index.js';
import { requestIdOf } from '../http/index.js';
import type { Metrics } from './metrics.js';

/** Requests for paths that no route serves share one label, or a scanner could fill the registry. */
const UNMATCHED = 'unmatched';

/** One log line and one observation a request. The route's template stands for the path: ids and tokens stay out. */
export function requestRecord(
  metrics: Metrics,
): (request: Request, response: Response, next: NextFunction) => void {
  const logger = new Logger('Request');
  return (request, response, next) => {
    const begun = process.hrtime.bigint();
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
      const route = routeOf(request);
      const status = response.statusCode;
      metrics.requests.observe({ method: request.method, route, status: String(status) }, seconds);
      const line = {
        msg: response.writableFinished ? 'request' : 'request cut off by the client',
        requestId: requestIdOf(request),
        method: request.method,
        route,
        status,
        ...(typeof response.locals['errorId'] === 'string' ? { error: response.locals['errorId'] } : {}),
        ms: Math.round(seconds * 1e4) / 10,
      };
      if (status >= 500 && !isSwitchedOff(response.locals['errorId'])) logger.error(line);
      else logger.log(line);
    });
    next();
  };
}

function routeOf(request: Request): string {
  const path = (request.route as { path?: unknown } | undefined)?.path;
  // Nest answers 404 from a catch-all route of its own, `*path`.
  return typeof path === 'string' && path.startsWith('/') ? path : UNMATCHED;
}
