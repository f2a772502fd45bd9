import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { type Declaration, DECLARATION } from '../modules/access/index.js';
import {
  type BodyLimit,
  hasBody,
  type JsonBounds,
  LARGE_BODY,
  type LargeBodyDeclaration,
  parseJson,
  readBody,
  refuseExcess,
} from '../platform/http/index.js';
import { httpErrors } from '../platform/errors/index.js';

interface BodyRules {
  limit: BodyLimit;
  bounds: JsonBounds;
}

/** What anybody may send without a credential. */
const PUBLIC_RULES: BodyRules = { limit: { bytes: 64 * 1024 }, bounds: { members: 200, depth: 20 } };
const SIGNED_IN_BOUNDS: JsonBounds = { members: 20_000, depth: 100 };

/**
 * Reads the body of each request after the guard has let its caller in: callers without a right hear that first, and
 * nothing is read, inflated or parsed for them. Bytes, members and depth are bounded before the text is parsed.
 */
export class BodyReading implements NestInterceptor {
  private readonly signedInRules: BodyRules;

  constructor(
    private readonly reflector: Reflector,
    maxBytes: number,
  ) {
    this.signedInRules = { limit: { bytes: maxBytes }, bounds: SIGNED_IN_BOUNDS };
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (hasBody(request) && request.method !== 'GET' && request.method !== 'HEAD')
      await this.read(request, [context.getHandler(), context.getClass()]);
    return next.handle();
  }

  private async read(
    request: Request,
    route: [ReturnType<ExecutionContext['getHandler']>, ReturnType<ExecutionContext['getClass']>],
  ): Promise<void> {
    const large = this.reflector.getAllAndOverride<LargeBodyDeclaration | undefined>(LARGE_BODY, route);
    if (large?.form === 'stream') return;
    if (large?.form === 'bytes') {
      const bytes = await readBody(request, large.limit);
      refuseExcess(bytes, large.bounds);
      request.body = bytes;
      return;
    }
    if (!isJson(request)) throw httpErrors.UNSUPPORTED_MEDIA_TYPE();
    const { limit, bounds } = large ?? this.rulesOf(route);
    const bytes = await readBody(request, limit);
    if (bytes.length > 0) request.body = parseJson(bytes, bounds);
  }

  private rulesOf(route: Parameters<BodyReading['read']>[1]): BodyRules {
    const declaration = this.reflector.getAllAndOverride<Declaration | undefined>(DECLARATION, route);
    return declaration?.rule === 'public' ? PUBLIC_RULES : this.signedInRules;
  }
}

/** Other types stay unread, so that no form of another site is taken for JSON. */
function isJson(request: Request): boolean {
  if (!request.is('application/json')) return false;
  const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw httpErrors.INVALID_REQUEST('the body must be UTF-8');
  return true;
}
