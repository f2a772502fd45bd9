import { Price, PriceBook, UsageBook } from '../../pricing/index.js';
import { unpricedReason } from '../reports/unpriced-reason.rules.js';
import { type Majorities, priceInstance } from './instance-pricing.rules.js';
import { KnownLinks } from './known-links.js';
import type { PricedItem } from './priced-item.js';

/** Every key of a NAT gateway in two regions; the amounts tell the regions apart. */
function aBook(mark?: string): PriceBook {
  const keys = ['nat_gateway/nat-gateway', 'nat_gateway/data-processed'];
  const pricesOf = (amount: string) =>
    new Map(keys.map((key) => [key, new Price('hours', 'USD', amount, '2026-01-01', 'list', mark)]));
  const regions = new Map([
    ['us-east-1', pricesOf('0.045')],
    ['eu-west-1', pricesOf('0.048')],
  ]);
  const prices = new Map([['aws', regions]]);
  return PriceBook.of([{ version: '1', generatedAt: '', sources: {}, prices }]);
}

interface Given {
  type?: string;
  attributes?: unknown;
  mark?: string;
  defaultRegions?: Record<string, string>;
  majorities?: Majorities;
}

function itemOf(given: Given): PricedItem {
  const { type = 'aws_nat_gateway', attributes = {}, mark, majorities = {} } = given;
  const { defaultRegions = { aws: 'us-east-1' } } = given;
  const row = {
    key: '1',
    address: `${type}.main`,
    deposed: null,
    type,
    provider: 'registry.terraform.io/hashicorp/aws',
    attributes,
  };
  const basis = {
    book: aBook(mark),
    usage: new UsageBook([]),
    mark: '',
    usageMark: '',
    defaultRegions,
    isFallingBack: false,
  };
  return priceInstance(row, { basis, links: new KnownLinks(), majorities }).item;
}

const componentsOf = (item: PricedItem) => JSON.parse(item.components) as Record<string, unknown>[];

describe('pricing an instance of a state', () => {
  it('leaves an instance unpriced whose rule throws, and says so', () => {
    const attributes = {
      id: 'i-1',
      get instance_type(): string {
        throw new RangeError('not to be read');
      },
    };
    const item = itemOf({ type: 'aws_instance', attributes });
    expect(item).toMatchObject({
      class: 'p',
      isPriced: false,
      costs: [],
      components: '[]',
      gap: 'rule_failed',
      cloudResourceId: 'i-1',
    });
    expect(unpricedReason(item.class, item.components)).toBe('the pricing rule failed');
  });

  it.each(['derived', 'approximate (0.5%)'])('shows that a price is %s', (mark) => {
    expect(componentsOf(itemOf({ mark }))[0]).toMatchObject({ price: '0.045', price_mark: mark });
    expect(componentsOf(itemOf({}))[0]).not.toHaveProperty('price_mark');
  });

  it('takes the default region of the cloud only where nothing tells one', () => {
    const defaultRegions = { aws: 'eu-west-1', gcp: 'us-east-1' };
    const placeOf = (given: Given) => {
      const item = itemOf({ ...given, defaultRegions });
      return [item.region, componentsOf(item)[0]?.['price']];
    };
    expect(placeOf({})).toEqual(['eu-west-1', '0.048']);
    expect(placeOf({ majorities: { aws: 'us-east-1' } })).toEqual(['us-east-1', '0.045']);
    expect(placeOf({ attributes: { region: 'us-east-1' } })).toEqual(['us-east-1', '0.045']);
  });
});
