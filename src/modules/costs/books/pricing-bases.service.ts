import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { type PriceBook, UsageBook } from '../../pricing/index.js';
import { PriceBooks } from './price-books.service.js';
import { UsageDocuments } from './usage.store.js';

/** Raised with every change of the rules that changes a figure: states are priced as a whole again. */
const RULES_VERSION = 1;

/** All that figures of one state depend on besides its instances. */
export interface PricingBasis {
  readonly book: PriceBook;
  readonly usage: UsageBook;
  /** differs whenever book, rules or settings do */
  readonly mark: string;
  /** differs whenever the usage does */
  readonly usageMark: string;
  /** region of what names none, by cloud */
  readonly defaultRegions: Readonly<Record<string, string>>;
  /** a price that a region lacks is taken from the default region */
  readonly isFallingBack: boolean;
}

@Injectable()
export class PricingBases {
  constructor(
    private readonly config: Config,
    private readonly books: PriceBooks,
    private readonly usage: UsageDocuments,
  ) {}

  /** Undefined while there is no price book. */
  async ofState(tenantId: string, stateId: string): Promise<PricingBasis | undefined> {
    const book = await this.books.current();
    if (book === undefined) return undefined;
    const { documents, mark } = await this.usage.ofState(tenantId, stateId);
    const defaultRegions = this.config.get('SERVICE_COST_DEFAULT_REGIONS');
    const isFallingBack = this.config.get('SERVICE_COST_REGION_FALLBACK');
    const regions = Object.values(defaultRegions).join(' ');
    return {
      book,
      usage: new UsageBook(documents),
      mark: `${book.version} ${RULES_VERSION} ${String(isFallingBack)} ${regions}`,
      usageMark: mark,
      defaultRegions,
      isFallingBack,
    };
  }
}
