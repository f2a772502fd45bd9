import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../../platform/config/index.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import type { AppError } from '../../platform/errors/index.js';
import { SESSION_COOKIE } from '../access/index.js';
import { type Asset, loadAssets } from './asset-store.js';
import {
  asksForPage,
  basePath,
  type BrowserRequest,
  chooseEncoding,
  documentFiller,
  type DocumentValues,
  isReading,
  isSignInStep,
  pageHeaders,
} from './console-document.rules.js';

const BUILT = join(__dirname, '..', '..', '..', 'console', 'dist');
const ASSET = /^\/assets\/([\w.-]+)$/;

interface Built {
  fill: (values: DocumentValues) => string;
  assets: ReadonlyMap<string, Asset>;
}

/** Serves the built console: one document for every page, and its hashed assets. */
@Injectable()
export class ConsoleFiles {
  private readonly base: string;
  private readonly secure: boolean;
  private built: Built | undefined;

  constructor(
    private readonly config: Config,
    private readonly secrets: Secrets,
  ) {
    const uiBase = config.get('SERVICE_UI_BASE');
    this.base = basePath(uiBase);
    this.secure = uiBase.startsWith('https:');
  }

  /** Reads the build into memory. Without a build the service runs, and serves no console. */
  load(): void {
    if (!this.config.get('SERVICE_CONSOLE')) return;
    if (!existsSync(join(BUILT, 'index.html'))) {
      new Logger('Console').warn({ msg: 'console build not found; serving no console' });
      return;
    }
    this.built = {
      fill: documentFiller(readFileSync(join(BUILT, 'index.html'), 'utf8'), {
        base: this.base,
        edition: this.config.get('SERVICE_EDITION'),
      }),
      assets: loadAssets(join(BUILT, 'assets')),
    };
  }

  /** Express middleware; everything that is not the console's goes on. */
  readonly handle = (request: Request, response: Response, next: NextFunction): void => {
    if (!this.built) return next();
    if (asksForPage(browserRequestOf(request))) return this.sendDocument(request, response, 200, '');
    const name = isReading(request.method) ? ASSET.exec(request.path)?.[1] : undefined;
    const asset = name === undefined ? undefined : this.built.assets.get(name);
    if (asset) return sendAsset(request, response, asset);
    next();
  };

  /** Answers the failure of a sign-in that a browser follows with a page; false when this is not one. */
  readonly answerFailure = (failure: AppError, request: Request, response: Response): boolean => {
    if (!this.built || !isSignInStep(browserRequestOf(request))) return false;
    this.sendDocument(request, response, failure.status, failure.id);
    return true;
  };

  /** Written without Express: an ETag of a document that is never kept would cost most of the answer. */
  private sendDocument(request: Request, response: Response, status: number, failure: string): void {
    if (!this.built) return;
    const nonce = this.secrets.bytes(16).toString('base64');
    const hasSession = hasCookie(request, SESSION_COOKIE);
    const body = Buffer.from(this.built.fill({ nonce, failure, hasSession }));
    const headers = { ...pageHeaders(nonce, { secure: this.secure }), 'Content-Length': body.length };
    response.writeHead(status, headers).end(body);
  }
}

/** Cookies are parsed behind this; the name is all that matters here. */
function hasCookie(request: Request, name: string): boolean {
  const pairs = (request.headers.cookie ?? '').split(';');
  return pairs.some((pair) => pair.trim().startsWith(`${name}=`));
}

function browserRequestOf(request: Request): BrowserRequest {
  return { method: request.method, path: request.path, accept: request.headers.accept };
}

function sendAsset(request: Request, response: Response, asset: Asset): void {
  const encoding = chooseEncoding(request.get('Accept-Encoding'));
  const encoded = encoding && asset[encoding];
  response.status(200).set({
    'Content-Type': asset.type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
    'Content-Length': String((encoded ?? asset.identity).length),
    ...(encoded ? { 'Content-Encoding': encoding } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : (encoded ?? asset.identity));
}
