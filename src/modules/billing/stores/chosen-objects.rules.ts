import type { StoredObject } from './billing-store.js';

export type FileKind = 'csv' | 'csv.gz' | 'parquet';

export interface ChosenObject {
  object: StoredObject;
  kind: FileKind;
}

/** `<yyyymmdd-yyyymmdd>/<run id>/…/file`: the layout of exports that write a folder for each run. */
const RUN = /^(.*?(?:^|\/)\d{8}-\d{8})\/(.+)\/[^/]+$/;

/** Billing files among the objects, by name; of a period with several runs only those of the newest one. */
export function chooseObjects(objects: readonly StoredObject[]): ChosenObject[] {
  const files = objects.flatMap((object) => {
    const kind = kindOf(object.name);
    return kind === undefined ? [] : [{ object, kind }];
  });
  const newest = new Map<string, { run: string; at: number }>();
  for (const { object } of files) {
    const [, period, run] = RUN.exec(object.name) ?? [];
    if (period === undefined || run === undefined) continue;
    const known = newest.get(period);
    const isNewer =
      known === undefined ||
      object.modifiedAt > known.at ||
      (object.modifiedAt === known.at && run > known.run);
    if (isNewer) newest.set(period, { run, at: object.modifiedAt });
  }
  return files
    .filter(({ object }) => {
      const [, period, run] = RUN.exec(object.name) ?? [];
      return period === undefined || newest.get(period)?.run === run;
    })
    .sort((one, other) => (one.object.name < other.object.name ? -1 : 1));
}

function kindOf(name: string): FileKind | undefined {
  const lower = name.toLowerCase();
  const file = lower.slice(lower.lastIndexOf('/') + 1);
  if (file.startsWith('.') || file.startsWith('_')) return undefined;
  if (lower.endsWith('.csv')) return 'csv';
  if (lower.endsWith('.csv.gz')) return 'csv.gz';
  return lower.endsWith('.parquet') ? 'parquet' : undefined;
}
