import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CHECK_PROVIDERS, type CheckProvider, type DefinedCheck } from './check.js';

export interface ProvidedCheck extends DefinedCheck {
  readonly provider: CheckProvider;
}

const FOLDER = join(__dirname, '..', 'checks');
const load = createRequire(__filename);

/** All built-in checks by id. Every file `checks/<provider>/*.check` counts, compiled or not; none is listed anywhere. */
export class CheckRegistry {
  readonly checks: readonly ProvidedCheck[];
  /** changes with what the checks say */
  readonly version: string;
  private readonly ids = new Map<string, ProvidedCheck>();

  constructor() {
    this.checks = CHECK_PROVIDERS.flatMap(checksOf).sort((left, right) => (left.id < right.id ? -1 : 1));
    for (const check of this.checks) {
      for (const id of [check.id, ...check.aliases]) if (!this.ids.has(id)) this.ids.set(id, check);
    }
    this.version = createHash('sha256')
      .update(JSON.stringify(this.checks.map(significantPart)))
      .digest('hex')
      .slice(0, 12);
  }

  /** By our id or by an alias. */
  find(id: string): ProvidedCheck | undefined {
    return this.ids.get(id);
  }
}

function checksOf(provider: CheckProvider): ProvidedCheck[] {
  const folder = join(FOLDER, provider);
  return readdirSync(folder)
    .filter((name) => /\.check\.(js|ts)$/.test(name))
    .map((name) => {
      const { default: check } = load(join(folder, name)) as { default: DefinedCheck };
      return { ...check, provider };
    });
}

/** What a change of makes findings differ. */
function significantPart(check: ProvidedCheck): unknown {
  return [
    check.id,
    check.severity,
    check.category,
    check.exposure ?? false,
    check.types,
    check.when ?? null,
    check.fail,
  ];
}
