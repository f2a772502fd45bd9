import { Injectable, type OnApplicationBootstrap, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { DECLARATION, type Declaration } from './access.declaration.js';
import { entryOf } from './access.guard.js';
import { ScopeResolvers } from './scope-resolvers.js';

export interface RouteAccess {
  /** `GET tenants/:tenantId/states` */
  route: string;
  handler: string;
  declaration: Declaration | undefined;
}

/** Every route with what it asks of its caller. Boot fails when a declaration cannot work. */
@Injectable()
export class AccessInventory implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly scopes: ScopeResolvers,
  ) {}

  onApplicationBootstrap(): void {
    this.scopes.onApplicationBootstrap();
    for (const { route, handler, declaration } of this.routes()) {
      if (!declaration || !('scope' in declaration) || typeof declaration.scope === 'string') continue;
      const [kind, parameter] = entryOf(declaration.scope);
      if (!route.includes(`:${parameter}`) && !route.includes(`*${parameter}`)) {
        throw new Error(
          `${handler} declares access by :${parameter}, which its route ${route} does not have`,
        );
      }
      if (!this.scopes.has(kind))
        throw new Error(`${handler} declares a ${kind} scope, which nothing resolves`);
    }
  }

  /** Routes that forgot to declare access; the guard refuses them, a test names them. */
  undeclared(): string[] {
    return this.routes()
      .filter(({ declaration }) => !declaration)
      .map(({ route, handler }) => `${route} (${handler})`);
  }

  routes(): RouteAccess[] {
    return this.discovery.getControllers().flatMap(({ metatype, instance }) => {
      if (!metatype || !instance) return [];
      const controller = metatype as Type<unknown>;
      const prototype = Object.getPrototypeOf(instance) as Record<string, () => unknown>;
      return this.scanner
        .getAllMethodNames(prototype)
        .flatMap((name) => this.routesOf(controller, prototype[name], name));
    });
  }

  private routesOf(
    controller: Type<unknown>,
    method: (() => unknown) | undefined,
    name: string,
  ): RouteAccess[] {
    const verb = method && this.reflector.get<RequestMethod | undefined>(METHOD_METADATA, method);
    if (!method || verb === undefined) return [];
    const declaration = this.reflector.getAllAndOverride<Declaration | undefined>(DECLARATION, [
      method,
      controller,
    ]);
    const handler = `${controller.name}.${name}`;
    const prefixes = pathsOf(this.reflector.get<unknown>(PATH_METADATA, controller));
    const suffixes = pathsOf(this.reflector.get<unknown>(PATH_METADATA, method));
    return prefixes.flatMap((prefix) =>
      suffixes.map((suffix) => {
        const path = [prefix, suffix]
          .map((part) => part.replace(/^\/+|\/+$/g, ''))
          .filter(Boolean)
          .join('/');
        return { route: `${RequestMethod[verb]} ${path}`, handler, declaration };
      }),
    );
  }
}

function pathsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((path): path is string => typeof path === 'string');
  return [typeof value === 'string' ? value : ''];
}
