import {
  type CallHandler,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { catchError, type Observable } from 'rxjs';
import { httpErrors } from '../../platform/errors/index.js';
import { hasBody } from '../../platform/http/index.js';
import { callerIfAny, type Principals } from '../access/index.js';
import type { Provider } from '../vcs/index.js';
import { type KvNamespace, KvNamespaces } from './kv-namespaces.js';

const PROVIDER = 'kv:provider';
const LARGEST_BODY_OF_STRANGERS = 64 * 1024;
const opened = new WeakMap<object, KvNamespace>();

/** The code-hosting provider whose namespaces a controller serves. */
export const NamespacesOf = (provider: Provider): ClassDecorator => SetMetadata(PROVIDER, provider);

/**
 * Opens the namespace of the path. Whether the caller may enter is decided by the statement of the call, and by
 * `KvRefusals` where there was none. The access guard stands before every other one, so the caller is known.
 */
@Injectable()
export class KvNamespaceGuard implements CanActivate {
  constructor(
    private readonly namespaces: KvNamespaces,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const caller = callerIfAny(request);
    const provider = this.reflector.get<Provider | undefined>(PROVIDER, context.getClass());
    const { installationId } = request.params;
    if (!caller || !provider || typeof installationId !== 'string') throw httpErrors.FORBIDDEN();
    const namespace = await this.namespaces.open(caller, provider, installationId);
    opened.set(request, namespace);
    if (isUnusual(request)) await this.namespaces.confirm(namespace);
    return true;
  }
}

/** A body that is read only for those who may enter, or refused before the interceptors of these routes. */
function isUnusual(request: Request): boolean {
  if (!hasBody(request)) return false;
  const length = Number(request.headers['content-length'] ?? Infinity);
  return length > LARGEST_BODY_OF_STRANGERS || !request.is('application/json');
}

/** Says to strangers nothing but 403, whatever else is wrong with the request. */
@Injectable()
export class KvRefusals implements NestInterceptor {
  constructor(private readonly namespaces: KvNamespaces) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const namespace = opened.get(context.switchToHttp().getRequest<Request>());
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        if (namespace) await this.namespaces.confirm(namespace);
        throw error;
      }),
    );
  }
}

/** Opens the namespace again for the caller as the credential stands now: a body that took its time has arrived. */
export async function reopenNamespace(
  request: Request,
  { namespaces, principals }: { namespaces: KvNamespaces; principals: Principals },
): Promise<void> {
  const known = opened.get(request);
  const caller = callerIfAny(request);
  const current = caller && (await principals.reload(caller));
  if (!known || !current) throw httpErrors.UNAUTHENTICATED();
  const namespace = await namespaces.open(current, known.provider, known.installationId);
  await namespaces.confirm(namespace);
  opened.set(request, namespace);
}

/** The namespace that the guard opened. */
export const Namespace = createParamDecorator((_: unknown, context: ExecutionContext): KvNamespace => {
  const namespace = opened.get(context.switchToHttp().getRequest<Request>());
  if (!namespace) throw new Error('the route lacks KvNamespaceGuard');
  return namespace;
});
