import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { Config } from '../../platform/config/index.js';
import { type JsonBounds, parseJson, readBody } from '../../platform/http/index.js';
import { maxBodySize } from './kv-limits.js';

/** A batch of 1,000 places has 2,000 members. */
const BOUNDS: JsonBounds = { members: 20_000, depth: 20 };

/** Reads a write's body behind the guard. Its limit follows `SERVICE_KV_MAX_DATA_SIZE`, which no decorator knows. */
@Injectable()
export class KvBodyInterceptor implements NestInterceptor {
  private readonly limit: { bytes: number };

  constructor(config: Config) {
    this.limit = { bytes: maxBodySize(config.get('SERVICE_KV_MAX_DATA_SIZE')) };
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.is('application/json')) {
      const bytes = await readBody(request, this.limit);
      if (bytes.length > 0) request.body = parseJson(bytes, BOUNDS);
    }
    return next.handle();
  }
}
