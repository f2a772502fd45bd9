import type { CloudResource, ScanPosition } from '../clouds/cloud-inventory.js';
import { type GapInventoryStore, inventoryLines } from '../inventory/gap-inventory.store.js';
import type { ScanAttempt } from '../inventory/gap-scans.store.js';
import { gapErrors } from '../gaps.errors.js';

const ROWS_PER_INSERT = 4_000;

/** Stores what one attempt of a scan finds, in batches: one is sent while the next one is collected. */
export class InventoryWriter {
  private lines: Buffer[] = [];
  private count = 0;
  private position: ScanPosition | undefined;
  private sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly inventory: GapInventoryStore,
    private readonly attempt: ScanAttempt,
  ) {}

  /** 409 `GAP_SCAN_SUPERSEDED` when the attempt is no longer the scan's, at the latest with the next batch. */
  async add(resources: readonly CloudResource[], position: ScanPosition): Promise<void> {
    if (resources.length === 0) return;
    this.position = position;
    this.lines.push(inventoryLines(this.attempt, resources));
    this.count += resources.length;
    if (this.count >= ROWS_PER_INSERT) await this.send();
  }

  /** Waits until everything is stored. */
  async flush(): Promise<void> {
    if (this.count > 0) await this.send();
    await this.sending;
  }

  private async send(): Promise<void> {
    await this.sending;
    if (this.position !== undefined) this.sending = this.insert(this.lines, this.position);
    this.lines = [];
    this.count = 0;
    // It is awaited with the next batch; until then a failure must not count as unhandled.
    this.sending.catch(() => undefined);
  }

  private async insert(lines: readonly Buffer[], position: ScanPosition): Promise<void> {
    if (!(await this.inventory.insert(this.attempt, lines, position))) throw gapErrors.GAP_SCAN_SUPERSEDED();
  }
}
