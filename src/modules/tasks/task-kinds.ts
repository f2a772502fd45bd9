import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { HANDLES_TASK, type TaskHandler, type TaskKindOptions } from './handles-task.js';

export interface TaskKind extends TaskKindOptions {
  handle: TaskHandler;
}

/** The handlers of all kinds of tasks, found by their decorator. */
@Injectable()
export class TaskKinds implements OnApplicationBootstrap {
  private readonly kinds = new Map<string, TaskKind>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
    private readonly scanner: MetadataScanner,
  ) {}

  onApplicationBootstrap(): void {
    for (const { instance } of this.discovery.getProviders()) {
      if (!instance || typeof instance !== 'object') continue;
      const target = instance as Record<string, TaskHandler>;
      for (const name of this.scanner.getAllMethodNames(Object.getPrototypeOf(target) as object)) {
        const method = target[name];
        const declared =
          method &&
          this.reflector.get<(TaskKindOptions & { kind: string }) | undefined>(HANDLES_TASK, method);
        if (!method || !declared) continue;
        if (this.kinds.has(declared.kind)) throw new Error(`task ${declared.kind} has two handlers`);
        this.kinds.set(declared.kind, { timeLimitMs: declared.timeLimitMs, handle: method.bind(target) });
      }
    }
  }

  find(kind: string): TaskKind | undefined {
    return this.kinds.get(kind);
  }
}
