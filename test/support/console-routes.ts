import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleEstate } from './console-estate.js';

export interface ConsoleRoute {
  path: string;
  isPublic?: boolean;
}

interface RegisteredArea {
  area: { routes?: readonly ConsoleRoute[] };
}

const FEATURES = join(__dirname, '..', '..', 'console', 'src', 'features');

/** The routes of every area of the console, as the build finds them. */
export async function consoleRoutes(): Promise<ConsoleRoute[]> {
  const routes: ConsoleRoute[] = [];
  for (const feature of readdirSync(FEATURES).sort()) {
    const { area } = (await import(join(FEATURES, feature, 'area.ts'))) as RegisteredArea;
    routes.push(...(area.routes ?? []));
  }
  return routes;
}

/** The address of a route in an estate; throws for a parameter that has no value there. */
export function addressOfRoute(path: string, { parameters, states }: ConsoleEstate): string {
  // Only one state has documents that were not simply stored.
  const own = path.includes('$submissionId') ? { ...parameters, stateId: states.contested } : parameters;
  return path.replace(/\$(\w+)/g, (_, name: string) => {
    const value = own[name];
    if (value === undefined)
      throw new Error(`no value for $${name} in ${path}; see test/support/console-estate.ts`);
    return encodeURIComponent(value);
  });
}
