import type { Clock } from '../../../platform/time/clock.js';

const LIFETIME_MS = 60_000;
const MOST = 200;
const LONGEST = 4096;

/**
 * Statements, each with the scope it runs in, whose plan was found cheap enough within the last minute. To plan a
 * statement for its cost is to plan it twice: 0.3 to 0.5 ms of the four that a dashboard's query takes.
 */
export class AffordablePlans {
  private readonly until = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  has(statement: string): boolean {
    return (this.until.get(statement) ?? 0) > this.clock.now().getTime();
  }

  /** It was planned, and ran. */
  add(statement: string): void {
    if (statement.length > LONGEST) return;
    this.until.delete(statement);
    this.until.set(statement, this.clock.now().getTime() + LIFETIME_MS);
    const [oldest] = this.until.keys();
    if (this.until.size > MOST && oldest !== undefined) this.until.delete(oldest);
  }
}
