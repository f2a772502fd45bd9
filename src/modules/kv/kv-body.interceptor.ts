import { isUtf8 } from 'node:buffer';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { Config } from '../../platform/config/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { type JsonBounds, parseJson, readBody } from '../../platform/http/index.js';
import { Principals } from '../access/index.js';
import { maxBodySize } from './kv-limits.js';
import { reopenNamespace } from './kv-namespace.guard.js';
import { KvNamespaces } from './kv-namespaces.js';

/** A batch of 1,000 places has 2,000 members. */
const BOUNDS: JsonBounds = { members: 20_000, depth: 20 };

/** A body that takes longer has its sender judged again when it is there. */
const SLOW_BODY_MS = 50;

/** Reads a write's body behind the guard. Its limit follows `SERVICE_KV_MAX_DATA_SIZE`, which no decorator knows. */
@Injectable()
export class KvBodyInterceptor implements NestInterceptor {
  private readonly limit: { bytes: number };

  constructor(
    config: Config,
    readonly namespaces: KvNamespaces,
    readonly principals: Principals,
  ) {
    this.limit = { bytes: maxBodySize(config.get('SERVICE_KV_MAX_DATA_SIZE')) };
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.is('application/json')) {
      const begun = performance.now();
      const bytes = await readBody(request, this.limit);
      // A sender that holds its body back must not act with a right that ended meanwhile.
      if (performance.now() - begun > SLOW_BODY_MS) await reopenNamespace(request, this);
      // What is no UTF-8 would be kept with other characters in its place.
      if (!isUtf8(bytes)) throw httpErrors.INVALID_REQUEST('the body is not valid UTF-8');
      if (bytes.length > 0) request.body = parseJson(bytes, BOUNDS);
    }
    return next.handle();
  }
}
