import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { StateView } from '@infrastate/sdk';
import { Failure } from '../failure.js';
import type { Bundle } from './bundle.js';
import type { PlannedRun, PlanOperation } from './plan-run.js';

/** What `plan -out` writes and `apply` reads. It holds the state that was planned with, secrets included. */
export interface SavedPlan {
  format: 1;
  /** address of the service */
  service: string;
  tx: string;
  state: StateView;
  has_changes: boolean;
  operations: PlanOperation[];
  bundle: Bundle;
  /** whether variables have values that are not stored, here neither */
  has_private_values: boolean;
  /** terraform's own plan file, base64 */
  plan: string | null;
  /** `.terraform.lock.hcl` of the plan; null without providers that are installed */
  lock?: string | null;
}

const LOCK_FILE = '.terraform.lock.hcl';

export function savePlan(file: string, service: string, planned: PlannedRun): void {
  const { txId, state, hasChanges, operations, bundle, root, hasPrivateValues } = planned;
  const saved: SavedPlan = {
    format: 1,
    service,
    tx: txId,
    state,
    has_changes: hasChanges,
    operations,
    bundle,
    has_private_values: hasPrivateValues,
    plan: root === undefined ? null : readFileSync(join(root, 'tfplan'), 'base64'),
    lock:
      root !== undefined && existsSync(join(root, LOCK_FILE))
        ? readFileSync(join(root, LOCK_FILE), 'utf8')
        : null,
  };
  writeFileSync(file, gzipSync(JSON.stringify(saved)), { mode: 0o600 });
}

export function readPlan(file: string, service: string): SavedPlan {
  let saved: SavedPlan;
  try {
    saved = JSON.parse(gunzipSync(readFileSync(file)).toString()) as SavedPlan;
  } catch {
    throw new Failure(
      'PLAN_FILE_UNREADABLE',
      `${file} is no plan of infrastate`,
      'write one with infrastate plan -out',
    );
  }
  if (saved.format !== 1)
    throw new Failure('PLAN_FILE_UNREADABLE', `${file} was written by another version of infrastate`);
  if (saved.service !== service)
    throw new Failure('OTHER_SERVICE', `${file} was planned with ${saved.service}`, 'give --api-base');
  return saved;
}
