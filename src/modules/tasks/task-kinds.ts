import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedMethods } from '../../platform/discovery/index.js';
import { HANDLES_TASK, type TaskHandler, type TaskKindOptions } from './handles-task.js';

export interface TaskKind extends TaskKindOptions {
  handle: TaskHandler;
}

type Declared = TaskKindOptions & { kind: string };

/** The handlers of all kinds of tasks, found by their decorator. */
@Injectable()
export class TaskKinds implements OnApplicationBootstrap {
  private readonly kinds = new Map<string, TaskKind>();

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    for (const { metadata, method } of decoratedMethods<Declared, TaskHandler>(
      this.discovery,
      HANDLES_TASK,
    )) {
      const { kind, ...options } = metadata;
      if (this.kinds.has(kind)) throw new Error(`task ${kind} has two handlers`);
      this.kinds.set(kind, { ...options, handle: method });
    }
  }

  find(kind: string): TaskKind | undefined {
    return this.kinds.get(kind);
  }
}
