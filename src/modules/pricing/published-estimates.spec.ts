import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { LINKED_TYPES, linkIdsOf } from './links.rules.js';
import type { PriceBook } from './price-book.js';
import { loadPriceBook } from './price-book-file.js';
import { type PricingQuestion, priceResource, type ResourcePrice } from './resource-pricing.js';
import { pricedTypes } from './rule-table.js';
import { checkUsage, UsageBook } from './usage.rules.js';

/**
 * Configurations of third parties with their published monthly prices: the test data of the best known estimator, with
 * every component that it prints (its name, unit, quantity and cost). Where the last column is 1 the rules agree; the rest are
 * prices the book does not have, and cases in docs/price-book.md. The file's first line names source and licence.
 */
const FILE = join(__dirname, '../../../test/support/published-estimates.ndjson.gz');

type Published = [name: string, unit: string, quantity: string | null, cost: string | null, agrees: 0 | 1];
interface Estimate {
  address: string;
  region: string;
  components: Published[];
}
interface Resource {
  address: string;
  type: string;
  attributes: Record<string, unknown>;
}
interface Case {
  case: string;
  usage: unknown;
  resources: Resource[];
  estimates: Estimate[];
}

const [, ...lines] = gunzipSync(readFileSync(FILE)).toString('utf8').trimEnd().split('\n');
const cases = lines.map((line) => JSON.parse(line) as Case);

let book: PriceBook;
beforeAll(async () => {
  book = await loadPriceBook([]);
});

interface Asked {
  type: string;
  published: Estimate;
  hasUsage: boolean;
  price: () => ResourcePrice;
  question: () => PricingQuestion;
}

const asked = cases.flatMap(questionsOf);

function questionsOf({ usage, resources, estimates }: Case): Asked[] {
  const index = new Map<string, Resource>();
  for (const resource of resources) {
    const ids = [
      resource.address,
      resource.address.replace(/\[.*$/, ''),
      ...linkIdsOf(resource.type, resource.attributes),
    ];
    for (const id of ids)
      if (!index.has(`${resource.type} ${id}`)) index.set(`${resource.type} ${id}`, resource);
  }
  const usages = new UsageBook([checkUsage(usage)]);
  return estimates.flatMap((published) => {
    const resource = resources.find(({ address }) => address === published.address);
    if (resource === undefined) return [];
    const { type, attributes } = resource;
    const own = usages.find(type, resource.address);
    const question = (): PricingQuestion => ({
      type,
      attributes,
      region: published.region,
      linked: (asks, id) => index.get(`${asks} ${id}`),
      book,
      ...(own ? { usage: own } : {}),
    });
    return [
      { type, published, hasUsage: own !== undefined, question, price: () => priceResource(question()) },
    ];
  });
}

/** Names without the index of a volume and the name of a template. */
function plainName(name: string): string {
  return name.replace(/\[\d+\]/g, '').replace(/^(aws_launch_\w+)\.[^/ ]+/, '$1');
}

function isClose(ours: string | undefined, published: string, least: number, part: number): boolean {
  return (
    ours !== undefined &&
    Math.abs(Number(ours) - Number(published)) <= Math.max(least, Number(published) * part)
  );
}

function agrees(price: ResourcePrice, [name, , quantity, cost]: Published): boolean {
  return price.components.some((component) => {
    if (plainName(component.name) !== name) return false;
    if (quantity === null || cost === null)
      return component.price !== undefined && component.monthlyQuantity === undefined;
    return (
      isClose(component.monthlyQuantity, quantity, 0.006, 0.005) &&
      isClose(component.monthlyCost, cost, 0.011, 0.01)
    );
  });
}

const byType = new Map<string, Asked[]>();
for (const each of asked) byType.set(each.type, [...(byType.get(each.type) ?? []), each]);

describe.each([...byType])('published prices of %s', (_, questions) => {
  const names = [
    ...new Set(
      questions.flatMap(({ published }) =>
        published.components.filter((each) => each[4] === 1).map(([name]) => name),
      ),
    ),
  ];
  if (names.length === 0)
    it('are not matched, but the type is known and its rule does not fail', () => {
      for (const { price } of questions) expect(price()).not.toMatchObject({ class: 'unknown' });
      expect(questions.filter(({ price }) => price().failure !== undefined)).toEqual([]);
    });
  else
    it.each(names)('%s', (name) => {
      const wrong: string[] = [];
      for (const { published, price } of questions) {
        const components = published.components.filter((each) => each[0] === name && each[4] === 1);
        if (components.length === 0) continue;
        const ours = price();
        for (const component of components)
          if (!agrees(ours, component)) wrong.push(`${published.address}: published ${component.join(' ')}`);
      }
      expect(wrong).toEqual([]);
    });
});

describe('coverage of published prices', () => {
  const total = (published: Estimate) =>
    published.components.reduce((sum, [, , , cost]) => sum + Number(cost ?? 0), 0);
  const shareWithin = (questions: readonly Asked[]) => {
    const priced = questions.filter(({ published, price }) => total(published) > 0 && price().isPriced);
    const close = priced.filter(({ published, price }) =>
      isClose(
        price().costs[0]?.monthly ?? '0',
        String(total(published)),
        0.011 * published.components.length,
        0.01,
      ),
    );
    return close.length / priced.length;
  };

  it('prices at least 95 % of the types of the estimates', () => {
    const priced = [...byType].filter(([, questions]) => questions.some(({ price }) => price().isPriced));
    expect(priced.length / byType.size).toBeGreaterThanOrEqual(0.95);
  });

  it('is within 1 % of the published price of a resource', () => {
    expect(shareWithin(asked.filter(({ hasUsage }) => !hasUsage))).toBeGreaterThanOrEqual(0.95);
    expect(shareWithin(asked.filter(({ hasUsage }) => hasUsage))).toBeGreaterThanOrEqual(0.92);
  });

  it('has a rule for every type, and knows every type that rules ask for', () => {
    expect(pricedTypes().length).toBe(319);
    const links = new Set(asked.flatMap(({ price }) => price().links.map(({ type }) => type)));
    expect([...links].filter((type) => !LINKED_TYPES.has(type))).toEqual([]);
  });

  it('never gives a masked attribute another figure than the real one has', () => {
    for (const { question, price } of asked) {
      const real = new Set(price().components.map(figureOf));
      const { attributes } = question();
      for (const name of Object.keys(attributes as object)) {
        const masked = { ...(attributes as object), [name]: '(sensitive value)' };
        const result = priceResource({ ...question(), attributes: masked });
        expect(result.failure).toBeUndefined();
        const invented = result.components.filter(
          (component) => component.monthlyCost !== undefined && !real.has(figureOf(component)),
        );
        expect({
          address: question().type,
          name,
          invented: invented.map(({ name: each }) => each),
        }).toMatchObject({ invented: [] });
      }
    }
  });
});

function figureOf({ key, monthlyQuantity, monthlyCost }: ResourcePrice['components'][number]): string {
  return `${key} ${monthlyQuantity ?? ''} ${monthlyCost ?? ''}`;
}
