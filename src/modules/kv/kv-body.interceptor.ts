import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Observable } from 'rxjs';
import { Config } from '../../platform/config/index.js';
import { maxBodySize } from './kv-limits.js';

/** Reads the body behind the guard: a stranger's megabyte is neither inflated nor parsed. */
@Injectable()
export class KvBodyInterceptor implements NestInterceptor {
  private readonly read: RequestHandler;

  constructor(config: Config) {
    this.read = express.json({ limit: maxBodySize(config.get('SERVICE_KV_MAX_DATA_SIZE')) });
  }

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
