import type { DynamicModule, Type } from '@nestjs/common';
import { DocumentsModule } from '../modules/documents/index.js';
import { GraphModule } from '../modules/graph/index.js';
import { StatesModule } from '../modules/states/index.js';
import { ServerModule } from '../modules/server/index.js';

/** Every feature module of the service, lowest tier first. A new module adds one line here. */
export const featureModules: (Type<unknown> | DynamicModule)[] = [DocumentsModule, StatesModule, GraphModule, ServerModule];
