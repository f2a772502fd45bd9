import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, BackendClient, type TestBackend } from './backend.js';

/** How the runs of one script reach the service and name themselves. */
export interface ShadowMode {
  name: string;
  /** address of the service or of a proxy */
  url: () => string;
  sharesKey: boolean;
  names: 'none' | 'user' | 'lock' | 'tx';
  /** the service knows a run by its connection */
  seesConnections: boolean;
  /** a run ends when it is refused, as Terraform's do */
  endsWhenRefused: boolean;
}

/** What a state holds: address (with `#<key>` for a deposed object) to `<id> <value>`. */
type Content = ReadonlyMap<string, string>;
type Changes = ReadonlyMap<string, string | undefined>;

interface Document {
  serial: number;
  lineage: string;
  resources: {
    name: string;
    instances: { index_key?: number; deposed?: string; attributes: { id: string; value: string } }[];
  }[];
}

export interface ShadowStatistics {
  writes: number;
  accepted: number;
  merged: number;
  refused: number;
  /** refused although nothing overlapped, in runs that are not known */
  cautious: number;
}

const NAMES = ['a', 'b', 'c', 'd', 'many[0]', 'many[1]', 'many[2]', 'main', 'other'];
const RUNS = 4;

/** A generator of numbers below 1 that a seed determines (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** One command of a client that plans on what it read and sends a snapshot after each step. */
interface ShadowRun {
  client: BackendClient;
  query: string;
  lockId: string | undefined;
  key: string;
  /** what its next write is compared with */
  base: Content;
  document: Content;
  serial: number;
  lineage: string;
  steps: Changes[];
  /** the service can tell that this run writes */
  isKnown: boolean;
  /** bytes whose answer it did not get, and whether they were stored */
  lost: { bytes: Buffer; wasStored: boolean } | undefined;
}

/**
 * Plays a random script of runs against the service and, beside it, what must become of the state: an accepted write
 * brings exactly the writer's changes, a refused one nothing. Throws with the history where the two differ.
 */
export class ShadowScript {
  readonly statistics: ShadowStatistics = { writes: 0, accepted: 0, merged: 0, refused: 0, cautious: 0 };
  private readonly history: string[] = [];
  private current: Content = new Map();
  private readonly runs: ShadowRun[] = [];
  private made = 0;

  constructor(
    private readonly backend: TestBackend,
    private readonly mode: ShadowMode,
    /** path of the state below the service's address */
    private readonly path: string,
    private readonly keys: readonly string[],
    private readonly random: () => number,
  ) {}

  async play(steps: number): Promise<void> {
    const first = this.connect(this.keys[0] ?? '');
    const content = new Map(NAMES.slice(0, 6).map((name) => [name, this.anObject()]));
    const answer = await first.post(bytesOf(content, 1, `lineage ${this.path}`));
    if (answer.status !== 200) throw new Error(`the first write was answered ${answer.status}`);
    first.close();
    this.current = content;
    await delay(5);
    try {
      for (let index = 0; index < RUNS; index++) this.runs[index] = await this.begin(index);
      for (let step = 0; step < steps; step++) await this.advance(Math.floor(this.random() * RUNS));
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.history.slice(-40).join('\n')}`, { cause: error });
    } finally {
      for (const run of this.runs) run.client.close();
    }
  }

  private async advance(index: number): Promise<void> {
    const run = this.runs[index];
    if (!run) return;
    if (run.lost) return this.retry(index, run, run.lost);
    if (run.steps.length === 0) {
      this.runs[index] = await this.restart(index, run);
      return;
    }
    if (this.random() < 0.12) await this.reconnect(index, run);
    await this.write(index, run, run.steps.shift() ?? new Map());
  }

  private async write(index: number, run: ShadowRun, step: Changes): Promise<void> {
    run.document = patched(run.document, step);
    run.serial++;
    const bytes = bytesOf(run.document, run.serial, run.lineage);
    const changes = changesBetween(run.base, run.document);
    const overlaps = this.overlaps(run.base, changes);
    const answer = await run.client.post(bytes, run.query);
    this.note(index, `writes ${shown(changes)} as serial ${run.serial}`, answer);
    this.check(run, answer, overlaps);
    const isStored = answer.status === 200;
    if (isStored) this.current = patched(this.current, changes);
    await this.compare();
    if (this.random() < 0.1) {
      run.lost = { bytes, wasStored: isStored };
      await this.reconnect(index, run);
    } else await this.learn(index, run, isStored, step);
  }

  /** The answer was lost: the client sends the same bytes again over another connection. */
  private async retry(
    index: number,
    run: ShadowRun,
    { bytes, wasStored }: { bytes: Buffer; wasStored: boolean },
  ): Promise<void> {
    run.lost = undefined;
    const changes = changesBetween(run.base, run.document);
    const answer = await run.client.post(bytes, run.query);
    this.note(index, `repeats serial ${run.serial}${wasStored ? ', which was stored' : ''}`, answer);
    if (wasStored && this.isNamed && answer.status !== 200)
      throw new Error('a retry of what was stored was refused in a run that is known');
    if (!wasStored && answer.status === 200) this.current = patched(this.current, changes);
    await this.compare();
    // What was stored is what the next write goes on from, whatever the repetition is answered.
    if (wasStored) run.base = run.document;
    await this.learn(index, run, answer.status === 200, changes);
  }

  /** What the client makes of the answer. */
  private async learn(index: number, run: ShadowRun, isStored: boolean, intent: Changes): Promise<void> {
    if (isStored) {
      run.base = run.document;
      run.isKnown = this.isNamed || this.mode.seesConnections;
      return;
    }
    if (!this.mode.endsWhenRefused && this.random() < 0.5) return;
    await this.insist(index, run, intent);
  }

  /** Two new runs of what was refused: at the latest the second one gets through while nobody else writes. */
  private async insist(index: number, refused: ShadowRun, intent: Changes): Promise<void> {
    let run = refused;
    for (let attempt = 1; attempt <= 2; attempt++) {
      run = await this.restart(index, run);
      this.runs[index] = run;
      const wanted = new Map([...intent].map(([name, value]) => [name, value && this.anObject()]));
      if (this.random() < 0.3) await this.reconnect(index, run);
      run.document = patched(run.document, wanted);
      run.serial++;
      const changes = changesBetween(run.base, run.document);
      const answer = await run.client.post(bytesOf(run.document, run.serial, run.lineage), run.query);
      this.note(index, `insists on ${shown(changes)} as serial ${run.serial}, run ${attempt}`, answer);
      this.check(run, answer, false);
      if (answer.status === 200) {
        this.current = patched(this.current, changes);
        run.base = run.document;
        run.isKnown = this.isNamed || this.mode.seesConnections;
        run.steps = [];
        return this.compare();
      }
      await this.compare();
    }
    throw new Error('a run that was refused did not get through with two new runs');
  }

  private check(run: ShadowRun, answer: Answer, overlaps: boolean): void {
    this.statistics.writes++;
    if (answer.status === 200) {
      this.statistics.accepted++;
      if ((answer.json() as { result: string }).result === 'merged') this.statistics.merged++;
      if (overlaps) throw new Error('a write that overlaps was accepted');
      return;
    }
    if (answer.status !== 409) throw new Error(`answered ${answer.status} ${answer.bytes.toString()}`);
    this.statistics.refused++;
    if (overlaps) return;
    this.statistics.cautious++;
    if (run.isKnown) throw new Error('a write of a known run was refused although nothing overlaps');
  }

  private async compare(): Promise<void> {
    const observer = new BackendClient(this.backend.url + this.path, this.backend.key, {
      user: 'run-observer',
    });
    const document = (await observer.get()).json() as Document;
    observer.close();
    const [expected, found] = [shown(this.current), shown(contentOf(document))];
    if (expected !== found) throw new Error(`the state should hold\n  ${expected}\nbut holds\n  ${found}`);
  }

  /** Whether others changed what the writer changes, by instance; two moves of one object overlap too. */
  private overlaps(base: Content, changes: Changes): boolean {
    const theirs = changesBetween(base, this.current);
    for (const [name, value] of changes) if (theirs.has(name) && theirs.get(name) !== value) return true;
    const moved = (side: Changes, name: string) =>
      [...side].some(([, value]) => value !== undefined && idOf(value) === idOf(base.get(name) ?? ''));
    return [...changes].some(
      ([name, value]) =>
        value === undefined &&
        theirs.has(name) &&
        theirs.get(name) === undefined &&
        (moved(changes, name) || moved(theirs, name)) &&
        shown(new Map(only(changes, base.get(name)))) !== shown(new Map(only(theirs, base.get(name)))),
    );
  }

  private async restart(index: number, run: ShadowRun): Promise<ShadowRun> {
    if (run.lockId !== undefined) await run.client.unlock({ ID: run.lockId });
    run.client.close();
    return this.begin(index);
  }

  private async begin(index: number): Promise<ShadowRun> {
    const key = this.keys[this.mode.sharesKey ? 0 : index] ?? '';
    const id = randomUUID();
    const client = this.connect(key, id);
    const query = { none: '', user: '', tx: `?tx=${id}`, lock: `?ID=${id}` }[this.mode.names];
    const lockId = this.mode.names === 'lock' ? id : undefined;
    if (lockId !== undefined && (await client.lock({ ID: lockId })).status !== 200) {
      // Somebody else holds it: this user breaks it, and both go on believing that it is theirs.
      const breaker = new BackendClient(this.backend.url + this.path, this.backend.key);
      await breaker.unlock(undefined);
      breaker.close();
      await client.lock({ ID: lockId });
    }
    const document = (await client.get(lockId === undefined ? query : '')).json() as Document;
    const content = contentOf(document);
    this.history.push(`${index} begins on serial ${document.serial}`);
    return {
      client,
      query,
      lockId,
      key: `${key} ${id}`,
      base: content,
      document: content,
      serial: document.serial,
      lineage: document.lineage,
      steps: this.plan(content),
      isKnown: this.isNamed || this.mode.seesConnections,
      lost: undefined,
    };
  }

  /** The connection was idle for too long. */
  private async reconnect(index: number, run: ShadowRun): Promise<void> {
    run.client.close();
    // The service sees the end of the old connection before the new one is of use.
    await delay(5);
    const [key = '', id = ''] = run.key.split(' ');
    run.client = this.connect(key, id);
    run.isKnown = this.isNamed;
    this.history.push(`${index} comes back over another connection`);
  }

  private connect(key: string, id?: string): BackendClient {
    const user = this.mode.names === 'user' && id !== undefined ? { user: `run-${id}` } : {};
    return new BackendClient(this.mode.url() + this.path, key, user);
  }

  private get isNamed(): boolean {
    return this.mode.names !== 'none';
  }

  /** Some operations on what was read, each as the snapshots that a client sends of it. */
  private plan(content: Content): Changes[] {
    const steps: Changes[] = [];
    const taken = new Set<string>();
    for (let operation = 1 + Math.floor(this.random() * 3); operation > 0; operation--) {
      const name = NAMES[Math.floor(this.random() * NAMES.length)] ?? 'a';
      if (taken.has(name)) continue;
      taken.add(name);
      steps.push(...this.operation(content, name, taken));
    }
    // Several operations often end between two snapshots.
    const merged: Changes[] = [];
    for (const step of steps)
      if (merged.length > 0 && this.random() < 0.3) merged.push(new Map([...(merged.pop() ?? []), ...step]));
      else merged.push(step);
    return merged;
  }

  private operation(content: Content, name: string, taken: Set<string>): Changes[] {
    const old = content.get(name);
    if (old === undefined) return [new Map([[name, this.anObject()]])];
    const free = NAMES.filter((other) => !content.has(other) && !taken.has(other));
    const target = free[Math.floor(this.random() * free.length)];
    const choice = this.random();
    if (choice < 0.3) return [new Map([[name, `${idOf(old)} value-${++this.made}`]])];
    if (choice < 0.5) return [new Map([[name, undefined]])];
    if (choice < 0.65) return [new Map([[name, undefined]]), new Map([[name, this.anObject()]])];
    if (choice < 0.8 || target === undefined) {
      const deposed = `${name}#${(++this.made).toString(16).padStart(8, '0')}`;
      return [
        new Map([
          [deposed, old],
          [name, this.anObject()],
        ]),
        new Map([[deposed, undefined]]),
      ];
    }
    taken.add(target);
    return [
      new Map([
        [name, undefined],
        [target, old],
      ]),
    ];
  }

  private anObject(): string {
    return `id-${++this.made} value-${this.made}`;
  }

  private note(index: number, what: string, answer: Answer): void {
    this.history.push(`${index} ${what}: ${answer.status} ${answer.bytes.toString()}`);
  }
}

/** Where the object of a removed instance is afterwards. */
function only(changes: Changes, object: string | undefined): [string, string | undefined][] {
  return [...changes].filter(
    ([, value]) => value !== undefined && object !== undefined && idOf(value) === idOf(object),
  );
}

function idOf(object: string): string {
  return object.split(' ')[0] ?? '';
}

function bytesOf(content: Content, serial: number, lineage: string): Buffer {
  const resources = new Map<string, unknown[]>();
  for (const [key, object] of [...content].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [, name = '', index, deposed] = /^([^[#]+)(?:\[(\d+)\])?(?:#(.+))?$/.exec(key) ?? [];
    const [id, value] = object.split(' ');
    resources.set(name, [
      ...(resources.get(name) ?? []),
      {
        ...(index === undefined ? {} : { index_key: Number(index) }),
        ...(deposed === undefined ? {} : { deposed }),
        schema_version: 0,
        attributes: { id, value },
      },
    ]);
  }
  const document = {
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage,
    outputs: {},
    resources: [...resources].map(([name, instances]) => ({
      mode: 'managed',
      type: 'test_thing',
      name,
      provider: 'provider["registry.terraform.io/test/test"]',
      instances,
    })),
    check_results: null,
  };
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
}

function contentOf({ resources }: Document): Content {
  return new Map(
    resources.flatMap(({ name, instances }) =>
      instances.map((instance): [string, string] => [
        name +
          (instance.index_key === undefined ? '' : `[${instance.index_key}]`) +
          (instance.deposed === undefined ? '' : `#${instance.deposed}`),
        `${instance.attributes.id} ${instance.attributes.value}`,
      ]),
    ),
  );
}

function patched(content: Content, changes: Changes): Content {
  const result = new Map(content);
  for (const [key, value] of changes) {
    if (value === undefined) result.delete(key);
    else result.set(key, value);
  }
  return result;
}

function changesBetween(before: Content, after: Content): Changes {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return new Map(
    keys.filter((key) => before.get(key) !== after.get(key)).map((key) => [key, after.get(key)]),
  );
}

function shown(content: Changes): string {
  return [...content]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value ?? 'removed'}`)
    .join(', ');
}
