import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunContext } from './run-context.js';

/** Where a state is kept that could not be delivered. */
const UNDELIVERED = 'errored.infrastate.json';

export function keepUndelivered(run: RunContext, txId: string, state: string, home: string): void {
  const file = join(home, UNDELIVERED);
  writeFileSync(file, state, { mode: 0o600 });
  run.context.output.printNote(
    `THE STATE COULD NOT BE STORED. What terraform applied in transaction ${txId} is written down in ${file}: keep that file.`,
  );
}
