import type { DynamicModule, Type } from '@nestjs/common';

/** Every feature module of the service, lowest tier first. A new module adds one line here. */
export const featureModules: (Type<unknown> | DynamicModule)[] = [];
