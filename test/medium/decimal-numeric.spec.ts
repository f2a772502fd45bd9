import fc from 'fast-check';
import { Decimal } from '../../src/modules/pricing/index.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

const texts = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 18n }),
    fc.bigInt({ min: 0n, max: 10n ** 12n }),
    fc.integer({ min: 0, max: 12 }),
  )
  .map(([negative, whole, fraction, digits]) => {
    const part = fraction.toString().padStart(13, '0').slice(0, digits);
    return `${negative ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
  });

/** Amounts are added and compared by the service and by SQL: both must give the same digits. */
describe('decimals beside the numeric type of PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  it('gives the same sums, differences, products and quotients', async () => {
    const pairs = fc.sample(fc.tuple(texts, texts), 500).filter(([, right]) => !Decimal.of(right).isZero());
    const { rows } = await database.pool.query<
      Record<'sum' | 'difference' | 'product', string> & { rounds: boolean }
    >(
      `SELECT trim_scale(a + b)::text AS sum, trim_scale(a - b)::text AS difference, trim_scale(a * b)::text AS product,
              abs(q * b - a) * 2 <= abs(b) * 0.000000000001 AS rounds
       FROM unnest($1::numeric[], $2::numeric[], $3::numeric[]) AS pair(a, b, q)`,
      [
        pairs.map(([left]) => left),
        pairs.map(([, right]) => right),
        pairs.map(([left, right]) => Decimal.of(left).dividedBy(Decimal.of(right)).toString()),
      ],
    );
    expect(rows.length).toBe(pairs.length);
    for (const [index, [left, right]] of pairs.entries()) {
      const [a, b] = [Decimal.of(left), Decimal.of(right)];
      const row = rows[index];
      expect({
        left,
        right,
        sum: a.plus(b).toString(),
        difference: a.minus(b).toString(),
        product: a.times(b).toString(),
      }).toEqual({
        left,
        right,
        sum: row?.sum,
        difference: row?.difference,
        product: row?.product,
      });
      // Our quotient is at most half a unit of the twelfth digit away from the true one.
      expect({ left, right, rounds: row?.rounds }).toEqual({ left, right, rounds: true });
    }
  });
});
