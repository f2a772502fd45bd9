import { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';

const failures = new WeakMap<Request, Error>();

/** Keeps why a body could not be read until it is known whether the caller may send one. */
export function keepBodyFailure(request: Request, failure: Error): void {
  failures.set(request, failure);
}

/** Runs after the guards: who is not signed in, or may not do this, hears that first, whatever they sent. */
export class BodyFailures implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const failure = failures.get(context.switchToHttp().getRequest<Request>());
    if (failure) throw failure;
    return next.handle();
  }
}
