import {
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Observable } from 'rxjs';

/**
 * Reads the body of one route when the guard has let the caller in: what is large is neither inflated nor parsed for
 * somebody unknown. Only for a path that the pipeline's own reader leaves alone. `limit` counts the inflated bytes, while
 * they are inflated; 413 beyond it.
 */
export function LargeBody(form: 'json' | 'bytes', limit: number): MethodDecorator {
  return UseInterceptors(
    new BodyReading(form === 'json' ? express.json({ limit }) : express.raw({ limit, type: () => true })),
  );
}

class BodyReading implements NestInterceptor {
  constructor(private readonly read: RequestHandler) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    await new Promise<void>((resolve, reject) => {
      void this.read(http.getRequest<Request>(), http.getResponse<Response>(), (error?: unknown) =>
        error instanceof Error ? reject(error) : resolve(),
      );
    });
    return next.handle();
  }
}
