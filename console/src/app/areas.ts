import type { Area } from '../platform/area';

const found = import.meta.glob<{ area: Area }>('../features/*/area.ts', { eager: true });

/** Every area of the build. A folder with an `area.ts` is all it takes to add one. */
export const areas: readonly Area[] = Object.values(found).map((module) => module.area);
