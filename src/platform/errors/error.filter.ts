import { ArgumentsHost, Catch, ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isDatabaseUnavailable } from '../database/database-unavailable.js';
import { beforeClosing } from '../http/body-remainder.js';
import { ClientLeft, clientLeft } from '../http/client-left.js';
import { requestIdOf } from '../http/request-context.js';
import { AppError, httpErrors, isSwitchedOff } from './app-error.js';
import { describeFailure } from './failure-report.js';

const BY_STATUS: Record<number, (message?: string) => AppError> = {
  400: httpErrors.INVALID_REQUEST,
  401: httpErrors.UNAUTHENTICATED,
  403: httpErrors.FORBIDDEN,
  404: httpErrors.NOT_FOUND,
  408: httpErrors.REQUEST_TIMEOUT,
  413: httpErrors.PAYLOAD_TOO_LARGE,
  429: httpErrors.RATE_LIMITED,
};

/** What requests for a route, or an object, that does not exist are answered. */
export interface UnknownAnswers {
  answer(request: Request): AppError;
  notFound(request: Request, error: AppError): AppError;
}

const PLAIN: UnknownAnswers = { answer: noRoute, notFound: (_request, error) => error };

/** Answers a failure in a form of its own, such as a page for a browser; false leaves it to the filter. */
type FailureAnswer = (failure: AppError, request: Request, response: Response) => boolean;

/** Turns everything thrown into `{id, data}`; what is unexpected is logged and answers with the request id only. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('ErrorFilter');

  constructor(
    private readonly unknown: UnknownAnswers = PLAIN,
    private readonly answerOtherwise: FailureAnswer = () => false,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (error instanceof ClientLeft || (response.destroyed && clientLeft(error))) {
      response.destroy();
      return;
    }
    const answer = this.translate(error, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // For the record of the request: clients such as Terraform show the status and nothing else.
    response.locals['errorId'] = answer.id;
    void beforeClosing(request, response).then(() => {
      if (!this.answerOtherwise(answer, request, response)) this.send(answer, request, response);
    });
  }

  private send(answer: AppError, request: Request, response: Response): void {
    response.status(answer.status).set({ 'Cache-Control': 'no-store', ...answer.headers });
    // A browser would open a window of its own for Basic.
    const challenge =
      request.headers['sec-fetch-site'] === undefined ? 'Basic realm="infrastate", Bearer' : 'Bearer';
    if (answer.status === 401) response.set('WWW-Authenticate', challenge);
    response.json({ id: answer.id, data: answer.message });
  }

  private translate(error: unknown, request: Request): AppError {
    if (error instanceof AppError)
      return error.status === 404
        ? this.unknown.notFound(request, error)
        : this.withReasonLogged(error, request);
    if (isBrokenUpload(error, request)) return httpErrors.INVALID_REQUEST('the body ended too early');
    if (isDatabaseUnavailable(error)) return this.withReasonLogged(databaseUnavailable(error), request);
    if (error instanceof HttpException) {
      const known = BY_STATUS[error.getStatus()];
      if (error.getStatus() === 404) return this.unknown.answer(request);
      // A parser's message quotes the body.
      if (known && error.getStatus() === 400)
        return known(request.is('json') ? 'the body is not valid JSON' : undefined);
      if (known) return known(error.message);
    }
    const status = bodyParserStatus(error);
    if (status === 413) return httpErrors.PAYLOAD_TOO_LARGE();
    if (status) return httpErrors.INVALID_REQUEST('the body is not valid JSON');
    const requestId = requestIdOf(request);
    this.logger.error({ msg: 'unexpected error', requestId, ...describeFailure(error) });
    return httpErrors.INTERNAL_ERROR(`unexpected error, request ${requestId}`);
  }

  /** Clients such as Terraform show nothing but the status of a 503. */
  private withReasonLogged(error: AppError, request: Request): AppError {
    if (error.status < 500 || isSwitchedOff(error.id)) return error;
    const cause = error.cause === undefined ? {} : describeFailure(error.cause);
    const { id, status, message: reason } = error;
    this.logger.warn({
      msg: 'request refused',
      requestId: requestIdOf(request),
      status,
      id,
      reason,
      ...cause,
    });
    return error;
  }
}

/** Body parsers mark what may be told: `type` names the reason, and a body that cannot be inflated has none. */
function bodyParserStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  const { status } = error;
  const isOfBody = ('type' in error && typeof error.type === 'string') || 'expose' in error;
  return isOfBody && typeof status === 'number' && status < 500 ? status : undefined;
}

export function noRoute(request: Request): AppError {
  return httpErrors.NOT_FOUND(`no route ${request.method} ${request.originalUrl.split('?', 1)[0]}`);
}

/** A client that tries again after five seconds, twice, outlasts the failover of a database. */
function databaseUnavailable(cause: unknown): AppError {
  return httpErrors
    .UNAVAILABLE('the database does not answer; try again', { 'Retry-After': '5' })
    .because(cause);
}

/** The client went away in the middle of its body. The request record tells it; it is no failure of the service. */
function isBrokenUpload(error: unknown, request: Request): boolean {
  return !request.complete && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}
