import * as fc from 'fast-check';
import { Decimal } from './decimal.js';
import type { PriceBook } from './price-book.js';
import { loadPriceBook } from './price-book-file.js';
import { priceResource } from './resource-pricing.js';
import { pricedTypes } from './rule-table.js';

let book: PriceBook;
beforeAll(async () => {
  book = await loadPriceBook([]);
});

const price = (type: string, attributes: unknown, more: object = {}) =>
  priceResource({ type, attributes, region: 'us-east-1', book, ...more });

describe('pricing a resource', () => {
  it('prices an instance with its default root volume', () => {
    const result = price('aws_instance', { instance_type: 'm5.large' });
    expect(result).toMatchObject({
      class: 'priced',
      isPriced: true,
      costs: [{ currency: 'USD', monthly: '70.88', hourly: '0.097095890411' }],
    });
    expect(result.components).toEqual([
      {
        name: 'Instance usage (Linux/UNIX, on-demand, m5.large)',
        unit: 'hours',
        key: 'ec2/instance/linux/shared/on_demand/m5.large',
        price: '0.096',
        currency: 'USD',
        hourlyQuantity: '1',
        monthlyQuantity: '730',
        hourlyCost: '0.096',
        monthlyCost: '70.08',
      },
      expect.objectContaining({
        name: 'root_block_device / Storage (general purpose SSD, gp2)',
        monthlyCost: '0.80',
      }),
    ]);
  });

  it('says which price a region lacks instead of taking another one', () => {
    const result = price('aws_nat_gateway', {}, { region: 'af-south-1' });
    expect(result).toMatchObject({ class: 'priced', isPriced: false, costs: [] });
    expect(result.components[0]).toMatchObject({ gap: 'no_price', hourlyQuantity: '1' });
    expect(result.components[0]).not.toHaveProperty('price');
  });

  it('takes the price of the default region only where that is switched on, and says so', () => {
    const result = price('aws_nat_gateway', {}, { region: 'af-south-1', fallbackRegion: 'us-east-1' });
    expect(result.components[0]).toMatchObject({
      price: '0.045',
      priceRegion: 'us-east-1',
      monthlyCost: '32.85',
    });
  });

  it('gives no figure to what a plan leaves unknown or masks', () => {
    for (const given of [
      { attributes: {}, unknown: { instance_type: true } },
      { attributes: { instance_type: '(sensitive value)' } },
      { attributes: { instance_type: ['m5.large'] } },
      { attributes: {} },
    ]) {
      const result = price('aws_instance', given.attributes, given);
      expect(result.isPriced).toBe(false);
      expect(result.components[0]).toMatchObject({ gap: 'unknown_attribute' });
      expect(result.components[0]).not.toHaveProperty('price');
      expect(result.components[0]).not.toHaveProperty('monthlyQuantity');
    }
  });

  it('knows free types, pseudo types and unknown ones', () => {
    expect(price('aws_iam_role', {}).class).toBe('free');
    expect(price('random_id', {}).class).toBe('free');
    expect(price('terraform_data', {}).class).toBe('free');
    expect(price('aws_never_heard_of', {}).class).toBe('unknown');
    expect(price('__proto__', {}).class).toBe('unknown');
  });

  it('does not count a volume twice that is a resource of its own', () => {
    const attributes = {
      instance_type: 'm5.large',
      ebs_block_device: [
        { volume_id: 'vol-1', volume_size: 10 },
        { volume_id: 'vol-2', volume_size: 20 },
      ],
    };
    const linked = (type: string, id: string) =>
      type === 'aws_ebs_volume' && id === 'vol-1' ? { attributes: {} } : undefined;
    const result = price('aws_instance', attributes, { linked });
    expect(result.components.filter(({ name }) => name.startsWith('ebs_block_device'))).toEqual([
      expect.objectContaining({ monthlyQuantity: '20' }),
    ]);
    expect(result.links).toEqual([
      { type: 'aws_ebs_volume', id: 'vol-1' },
      { type: 'aws_ebs_volume', id: 'vol-2' },
    ]);
  });

  it('cuts a quantity at the tiers of the price book', () => {
    const usage = { monthly_requests: Decimal.of(1_000_000_000), request_duration_ms: Decimal.of(10_000) };
    const result = price('aws_lambda_function', { memory_size: 1024 }, { usage });
    expect(result.components.map(({ name, monthlyQuantity }) => [name, monthlyQuantity])).toEqual([
      ['Requests', '1000'],
      ['Duration (first 6B)', '6000000000'],
      ['Duration (next 9B)', '4000000000'],
    ]);
  });

  it('never loses or adds a quantity at the tiers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), (requests) => {
        const usage = { monthly_requests: Decimal.of(String(requests)) };
        const { components } = price('aws_api_gateway_rest_api', {}, { usage });
        const sum = components.reduce(
          (total, { monthlyQuantity }) => total.plus(Decimal.of(monthlyQuantity ?? '0')),
          Decimal.ZERO,
        );
        expect(sum.compare(Decimal.of(String(requests)).dividedBy(1_000_000))).toBe(0);
        const prices = components.map((component) => Number(component.price));
        expect(prices).toEqual([...prices].sort((left, right) => right - left));
      }),
    );
  });

  it('names what an old engine version costs more', () => {
    const { components } = price('aws_db_instance', {
      engine: 'postgres',
      engine_version: '12.22',
      instance_class: 'db.m5.xlarge',
    });
    expect(components.find(({ name }) => name === 'Extended support (year 1)')).toMatchObject({
      monthlyQuantity: '2920',
      monthlyCost: '292.00',
    });
  });

  it('takes attributes of any shape for every type, and sums are those of the components', () => {
    const keys = [
      'instance_type',
      'size',
      'type',
      'tier',
      'sku_name',
      'capacity',
      'storage',
      'region',
      'engine',
      'name',
    ];
    const attributes = fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), fc.jsonValue());
    fc.assert(
      fc.property(fc.constantFrom(...pricedTypes()), fc.oneof(attributes, fc.jsonValue()), (type, given) => {
        const result = price(type, given, { linked: () => ({ attributes: given }) });
        expect(result.failure).toBeUndefined();
        for (const component of result.components) {
          expect(JSON.stringify(component)).not.toMatch(/NaN|Infinity|undefined/);
          for (const amount of [component.monthlyCost, component.hourlyCost, component.monthlyQuantity])
            if (amount !== undefined) expect(amount).toMatch(/^\d+(\.\d+)?$/);
        }
        const sum = result.components.reduce(
          (total, { monthlyCost }) => total.plus(Decimal.of(monthlyCost ?? '0')),
          Decimal.ZERO,
        );
        expect(result.costs[0]?.monthly ?? '0.00').toBe(sum.toAmount());
      }),
      { numRuns: 1000 },
    );
  });
});
