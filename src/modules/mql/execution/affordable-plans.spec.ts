import { Clock } from '../../../platform/time/clock.js';
import { AffordablePlans } from './affordable-plans.js';

class StoppedClock extends Clock {
  at = 1_000_000;

  override now(): Date {
    return new Date(this.at);
  }
}

describe('Plans that were cheap enough', () => {
  it('are known for a minute', () => {
    const clock = new StoppedClock();
    const plans = new AffordablePlans(clock);
    plans.add('SELECT 1');
    clock.at += 59_999;
    expect(plans.has('SELECT 1')).toBe(true);
    expect(plans.has('SELECT 2')).toBe(false);
    clock.at += 1;
    expect(plans.has('SELECT 1')).toBe(false);
  });

  it('are 200 at most, and none of a long statement', () => {
    const plans = new AffordablePlans(new StoppedClock());
    const statements = Array.from({ length: 201 }, (_, n) => `SELECT ${n}`);
    for (const statement of statements) plans.add(statement);
    expect(statements.filter((statement) => plans.has(statement))).toEqual(statements.slice(1));
    const long = `SELECT '${'x'.repeat(5000)}'`;
    plans.add(long);
    expect(plans.has(long)).toBe(false);
  });
});
