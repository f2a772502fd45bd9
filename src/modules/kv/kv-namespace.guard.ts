import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { httpErrors } from '../../platform/errors/index.js';
import { callerIfAny } from '../access/index.js';
import type { Provider } from '../vcs/index.js';
import { type KvNamespace, KvNamespaces } from './kv-namespaces.js';

const PROVIDER = 'kv:provider';
const opened = new WeakMap<object, KvNamespace>();

/** The code-hosting provider whose namespaces a controller serves. */
export const NamespacesOf = (provider: Provider): ClassDecorator => SetMetadata(PROVIDER, provider);

/**
 * Opens the namespace of the path before any part of the request is validated: a stranger learns nothing from a 400. The
 * caller is known, because the access guard stands before every other one.
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
    opened.set(request, await this.namespaces.open(caller, provider, installationId));
    return true;
  }
}

/** The namespace that the guard opened. */
export const Namespace = createParamDecorator((_: unknown, context: ExecutionContext): KvNamespace => {
  const namespace = opened.get(context.switchToHttp().getRequest<Request>());
  if (!namespace) throw new Error('the route lacks KvNamespaceGuard');
  return namespace;
});
