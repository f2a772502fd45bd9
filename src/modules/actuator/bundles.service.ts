import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { decodePageToken, encodePageToken } from '../../platform/http/index.js';
import type { Principal } from '../access/index.js';
import { bundleOf } from '../transactions/index.js';
import { actuatorErrors } from './actuator.errors.js';
import { pageText } from './bundle-entries.rules.js';
import { pageLength, pageStarts } from './bundle-pages.rules.js';
import { BundleStore, type StoredBundle } from './bundles.store.js';
import type { BundlePageView } from './dto/bundle.dto.js';

/** Serves bundles page by page; pages can be asked for at the same time, and stay what they are. */
@Injectable()
export class Bundles {
  constructor(
    private readonly work: UnitOfWork,
    private readonly store: BundleStore,
  ) {}

  async cursors(caller: Principal, limit: number): Promise<BundlePageView[]> {
    const { tx } = bundleOf(caller);
    const bundle = await this.bundle(tx);
    const starts = pageStarts(await this.store.sizes(tx), limit);
    return starts.map((start) => (start === 0 ? { limit } : { limit, cursor: cursorOf(bundle, start) }));
  }

  /** One page as JSON text. */
  async page(caller: Principal, limit: number, cursor: string | undefined): Promise<string> {
    const { tx } = bundleOf(caller);
    return this.work.run(async () => {
      // A bundle that replaces this one does so before the first statement, or after the last.
      await this.work.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      const bundle = await this.bundle(tx);
      const start = cursor === undefined ? 0 : startOf(bundle, cursor);
      const sizes = await this.store.sizes(tx, start, limit + 1);
      const count = pageLength(sizes, limit);
      const entries = await this.store.entries(tx, start, count);
      return pageText(
        bundle.head,
        entries,
        count < sizes.length ? cursorOf(bundle, start + count) : undefined,
      );
    });
  }

  async params(caller: Principal): Promise<Record<string, unknown>> {
    const [row] = await this.work.query<{ params: Record<string, unknown> }>(
      'SELECT params FROM transactions WHERE id = $1',
      [bundleOf(caller).tx],
    );
    return row?.params ?? {};
  }

  private async bundle(txId: string): Promise<StoredBundle> {
    const bundle = await this.store.findBundle(txId);
    if (!bundle) throw actuatorErrors.BUNDLE_NOT_FOUND();
    return bundle;
  }
}

function cursorOf({ id }: StoredBundle, start: number): string {
  return encodePageToken([id, start]);
}

function startOf(bundle: StoredBundle, cursor: string): number {
  const [id, start] = decodePageToken(cursor, 2, 'cursor');
  if (
    typeof id !== 'string' ||
    typeof start !== 'number' ||
    !Number.isInteger(start) ||
    start < 0 ||
    start > 2 ** 31 - 1
  )
    throw httpErrors.INVALID_REQUEST('cursor is not a page token of this list');
  if (id !== bundle.id) throw actuatorErrors.BUNDLE_REPLACED();
  return start;
}
