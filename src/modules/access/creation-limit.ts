import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ErrorBody } from '../../platform/http/index.js';
import { callerIfAny } from './caller.js';
import { RateLimits } from './rate-limits.js';

const CREATION_LIMIT = 'access:creation-limit';
const HOUR_SECONDS = 3600;

interface CreationLimit {
  /** what is made, such as `task` */
  name: string;
  perHour: number;
}

/** Makes rows that stay, so each user makes only so many of them in an hour; 429 beyond it. */
export function LimitsCreation(name: string, perHour: number): MethodDecorator {
  return applyDecorators(
    SetMetadata<string, CreationLimit>(CREATION_LIMIT, { name, perHour }),
    UseInterceptors(CreationLimits),
    ApiResponse({ status: 429, description: 'too many in the last hour', type: ErrorBody }),
  );
}

@Injectable()
export class CreationLimits implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const limit = this.reflector.get<CreationLimit | undefined>(CREATION_LIMIT, context.getHandler());
    const caller = callerIfAny(context.switchToHttp().getRequest<Request>());
    if (limit && caller)
      await this.limits.hit({
        name: `create:${limit.name}`,
        subject: caller.userId,
        limit: limit.perHour,
        windowSeconds: HOUR_SECONDS,
      });
    return next.handle();
  }
}
