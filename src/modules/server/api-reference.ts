import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { OpenApiDocument } from './openapi-document.js';
import { REFERENCE_STYLE, referencePage } from './api-reference.rules.js';

const STYLE_HASH = createHash('sha256').update(REFERENCE_STYLE).digest('base64');

/**
 * `GET /reference`: the description of the API to read, without a credential and without script. It shows what
 * docs/openapi.json shows. Browsers get it only from a service without a console.
 */
@Injectable()
export class ApiReference {
  private page: string | undefined;

  constructor(private readonly description: OpenApiDocument) {}

  readonly handle = (request: Request, response: Response, next: NextFunction): void => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (!isReading || !/^\/reference\/?$/.test(request.path)) return next();
    this.page ??= referencePage(this.description.document());
    response
      .set({
        'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
        'Cache-Control': 'no-cache',
        'X-Content-Type-Options': 'nosniff',
      })
      .type('html')
      .send(this.page);
  };
}
