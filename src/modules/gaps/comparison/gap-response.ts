import type { Response } from 'express';
import type { CloudProvider } from '../../cloud-ids/index.js';
import { AnswerSpool } from './answer-spool.js';
import type { GapSummaryView, GapResourceView } from '../dto/gaps.dto.js';
import type { GapScanEntity } from '../entities/gap.entities.js';
import type { GapComparison, StoredInventory, UnmanagedRow } from './gap-comparison.queries.js';
import { gapErrors } from '../gaps.errors.js';

/** The comparison as an answer: the resources first, the summary behind them, as it is known only then. */
export async function sendComparison(
  comparison: GapComparison,
  of: { tenantId: string; provider: CloudProvider },
  to: { response: Response; scan: GapScanEntity; isFresh: boolean },
): Promise<void> {
  const spool = new AnswerSpool();
  try {
    const found = await comparison.compare(of, async (inventory, batches) => {
      for await (const text of textOf(of.provider, inventory, batches, to)) await spool.add(text);
    });
    // The settings changed since the scan was looked up, and the inventory went with them.
    if (!found) throw gapErrors.GAPS_NOT_CONFIGURED();
    await spool.sendTo(to.response.type('application/json'));
  } finally {
    await spool.dispose();
  }
}

async function* textOf(
  provider: CloudProvider,
  inventory: StoredInventory,
  batches: AsyncIterable<readonly UnmanagedRow[]>,
  { scan, isFresh }: { scan: GapScanEntity; isFresh: boolean },
): AsyncGenerator<string> {
  const managed = new Map(Object.entries(inventory.totals));
  let [unmanaged, phantoms] = [0, 0];
  let separator = '';
  yield '{"unmanaged_resources":[';
  for await (const batch of batches) {
    let text = '';
    for (const row of batch) {
      const [service, , , , , , , isPhantom] = row;
      managed.set(service, (managed.get(service) ?? 0) - 1);
      if (isPhantom === 't') phantoms += 1;
      else {
        unmanaged += 1;
        text += separator + resourceText(provider, row);
        separator = ',';
      }
    }
    if (text !== '') yield text;
  }
  const total = Object.values(inventory.totals).reduce((sum, count) => sum + count, 0);
  const summary: GapSummaryView = {
    total_aws_resources: provider === 'aws' ? total : 0,
    total_cloud_resources: total,
    managed_by_service: Object.fromEntries(
      [...managed].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    unmanaged,
    phantom_filtered: phantoms,
  };
  const rest = {
    summary,
    fetched_at: Math.floor(inventory.fetchedAt.getTime() / 1_000),
    from_cache: !isFresh,
    ...(scan.error ? { error: scan.error } : {}),
  };
  yield `],${JSON.stringify(rest).slice(1)}`;
}

/** A resource as JSON; its tags are JSON already. */
function resourceText(provider: CloudProvider, row: UnmanagedRow): string {
  const [service, resource_type, id, name, region, account, tags, , isSupported] = row;
  const view: GapResourceView = {
    resource_type,
    service,
    ...(provider === 'aws' ? { arn: id } : {}),
    id,
    ...(region === null ? {} : { region }),
    ...(account === null ? {} : { owning_account_id: account }),
    provider,
    ...(name === null ? {} : { name }),
    supported: isSupported === 't',
  };
  const text = JSON.stringify(view);
  return tags === null ? text : `${text.slice(0, -1)},"tags":${tags}}`;
}
