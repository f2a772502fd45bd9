import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Config } from '../config/config.js';
import { httpErrors } from '../errors/app-error.js';
import { Answers } from './answers.js';
import { pageLinks, type PageTokens } from './link-header.js';

/** A page of a list as a handler answers it: the body, and the tokens of the pages on either side. */
export class TokenPage<Body extends object> {
  constructor(
    readonly body: Body,
    readonly tokens: PageTokens,
  ) {}
}

/** Sets the `Link` header of pages (RFC 8288), and names the next one in their bodies. */
@Injectable()
export class PageLinks implements NestInterceptor {
  constructor(private readonly config: Config) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!(answer instanceof TokenPage)) return answer;
        const { body, tokens } = answer as TokenPage<object>;
        this.set(response, tokens);
        return { ...body, ...(tokens.next === undefined ? {} : { next_page: tokens.next }) };
      }),
    );
  }

  /** For handlers that write their answer themselves. */
  set(response: Response, tokens: PageTokens): void {
    const links = pageLinks(response.req, this.config.get('SERVICE_UI_BASE'), tokens);
    if (links !== undefined) response.set('Link', links);
  }
}

/** The handler answers a `TokenPage`, whose body with `next_page` is a `view`. */
export function AnswersPage(view: Type<unknown>): MethodDecorator {
  return applyDecorators(Answers(200, view), UseInterceptors(PageLinks));
}

/** The number of rows that a `limit` asks for. */
export function pageLimit(limit: string | undefined, fallback: number, most: number): number {
  if (limit === undefined) return fallback;
  const count = Number(limit);
  if (limit.trim() === '' || !Number.isInteger(count) || count < 1)
    throw httpErrors.INVALID_REQUEST('limit must be a whole number from 1');
  return Math.min(count, most);
}
