import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { DOCUMENT_PACE, readBody } from '../../../platform/http/index.js';

const MAX_BODY_BYTES = 25 * 1024 * 1024;

/** Reads the bytes of a delivery as they were sent; 413 beyond 25 MB. */
@Injectable()
class ReadRawBody implements PipeTransform<Request, Promise<Buffer>> {
  async transform(request: Request): Promise<Buffer> {
    return readBody(request, { bytes: MAX_BODY_BYTES, pace: DOCUMENT_PACE });
  }
}

const RequestItself = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>(),
);

/** The bytes of the body; the route declares `StreamedBody`. */
export const RawBody = (): ParameterDecorator => RequestItself(ReadRawBody);
