import { createRequire } from 'node:module';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config, ProcessRole } from '../../../platform/config/index.js';

/** Says at the start of a worker when its platform has no DuckDB. */
@Injectable()
export class ReaderNotice implements OnApplicationBootstrap {
  constructor(
    private readonly config: Config,
    private readonly role: ProcessRole,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.get('SERVICE_COST_ENABLED') || !this.role.consumesQueues || hasDuckDb()) return;
    new Logger('Billing').warn({
      msg: 'DuckDB is not installed for this platform; billing files are read several times slower',
    });
  }
}

/** Both packages are optional, and neither is loaded: native code stays out of this process. */
function hasDuckDb(): boolean {
  const { resolve } = createRequire(__filename);
  try {
    resolve('@duckdb/node-api');
  } catch {
    return false;
  }
  const platform = `${process.platform}-${process.arch}`;
  return [platform, `${platform}-musl`].some((name) => {
    try {
      resolve(`@duckdb/node-bindings-${name}/duckdb.node`);
      return true;
    } catch {
      return false;
    }
  });
}
