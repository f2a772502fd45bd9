import { Agent } from 'node:http';
import * as fc from 'fast-check';
import {
  aBackend,
  aWrittenState as writtenState,
  BackendClient,
  changesBetween,
  Content,
  contentOf,
  patched,
  Run,
  shown,
  StoredDocument,
  TestBackend,
  TestState,
} from '../support/backend.js';
import { rounds, SEED } from '../support/endurance.js';

const SCENARIOS = Number(process.env['CONCURRENT_SCENARIOS'] ?? rounds(12, 100));
const KEYS = ['a', 'b', 'c', 'd', 'many[0]', 'many[1]', 'many[2]', 'output.x', 'output.y'];

interface Mode {
  name: string;
  /** the server can tell every run apart, so that it must refuse exactly the overlapping writes */
  exact: boolean;
  /** values may come back, as with a deliberate revert */
  reverts: boolean;
  connect(state: TestState, key: string, shared: Agent): BackendClient;
  locks: boolean;
  /** a run ends when it is refused, as Terraform's do: where it went on, nothing would tell it from another */
  endsWhenRefused?: boolean;
  /** one connection carries several runs, which no client does: the closest document may be another's */
  sharesConnection?: boolean;
}

const VIA_PROXY = { 'x-forwarded-for': '10.1.2.3' };
const MODES: Mode[] = [
  {
    name: 'one connection each',
    exact: true,
    reverts: true,
    locks: false,
    connect: (state, key) => new BackendClient(state.address, key),
  },
  {
    name: 'a lock id each, behind one proxy',
    exact: true,
    reverts: true,
    locks: true,
    connect: (state, key) => new BackendClient(state.address, key, { headers: VIA_PROXY }),
  },
  {
    name: 'one key behind one proxy',
    endsWhenRefused: true,
    exact: false,
    reverts: false,
    locks: false,
    connect: (state, key) => new BackendClient(state.address, key, { headers: VIA_PROXY }),
  },
  {
    name: 'one keep-alive connection for all',
    exact: false,
    reverts: false,
    locks: false,
    sharesConnection: true,
    connect: (state, key, shared) => new BackendClient(state.address, key, { agent: shared }),
  },
];

type Step =
  | { kind: 'read' | 'begin' | 'retry'; run: number }
  | { kind: 'write'; run: number; edits: [key: string, value: string | undefined][] };

const edits = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom(...KEYS),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('one', 'two', 'three') },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
  ),
  {
    minLength: 1,
    maxLength: 3,
    selector: ([key]) => key,
  },
);
const run = fc.nat({ max: 2 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('read' as const, 'begin' as const, 'retry' as const),
        run,
      }),
    },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), run, edits }) },
  ),
  { minLength: 4, maxLength: 14 },
);

describe('Random interleavings of writers', () => {
  let backend: TestBackend;
  let group: TestState;

  beforeAll(async () => {
    process.stdout.write(`interleavings: FUZZ_SEED=${SEED}\n`);
    backend = await aBackend();
    group = await backend.aState();
  });
  afterAll(() => backend.stop());

  function aWrittenState(content: Content): Promise<TestState> {
    return writtenState(backend, group, content);
  }

  it.each(MODES)(
    'lose no acknowledged change and never undo one, with $name',
    async (mode) => {
      const key = await backend.aKey();
      await fc.assert(
        fc.asyncProperty(steps, async (list) => {
          const shared = new Agent({ keepAlive: true, maxSockets: 1 });
          const state = await aWrittenState(new Map(KEYS.slice(1).map((name) => [name, 'one'])));
          const observer = new BackendClient(state.address, backend.key, {
            headers: { 'x-forwarded-for': '10.8.8.8' },
          });
          const stored = async () => contentOf((await observer.get()).json() as StoredDocument);
          const clients: BackendClient[] = [observer];
          let locks = 0;
          const begin = async (): Promise<Run> => {
            const client = mode.connect(state, key, shared);
            clients.push(client);
            const lockId = mode.locks ? `lock-${++locks}` : undefined;
            if (lockId) {
              // Somebody else holds it: this user breaks it, and both go on believing that it is theirs.
              if ((await client.lock({ ID: lockId })).status === 423) {
                await client.unlock(undefined);
                await client.lock({ ID: lockId });
              }
            }
            const begun = new Run(client, lockId);
            await begun.read();
            return begun;
          };
          const runs = [await begin(), await begin(), await begin()];
          let current = await stored();
          const taken = new Set<string>();
          const known: { serial: number; content: Content }[] = runs.map((one) => ({
            serial: one.serial,
            content: one.document,
          }));
          let unique = 0;
          try {
            for (const step of list) {
              const actor = runs[step.run];
              if (!actor) continue;
              if (step.kind === 'read' && !mode.locks) await actor.read();
              else if (step.kind === 'begin') runs[step.run] = await begin();
              const reader = runs[step.run] ?? actor;
              if (step.kind === 'read' || step.kind === 'begin')
                known.push({ serial: reader.serial, content: reader.document });
              else if (step.kind === 'retry' && actor.lastSent) {
                const before = await stored();
                const again = await actor.client.post(
                  actor.lastSent,
                  actor.lockId ? `?ID=${actor.lockId}` : '',
                );
                // An answer lost on its way: the same bytes again change nothing. What was refused may have become
                // compatible meanwhile, because another brought the very value, or took the change back.
                const result = again.status === 200 ? (again.json() as { result: string }).result : 'refused';
                if (result === 'unchanged') expect(shown(await stored())).toEqual(shown(before));
                else if (result === 'refused') expect(again.status).toBe(409);
                else {
                  const changes = changesBetween(actor.base, actor.document);
                  const undone = [...changes].filter(
                    ([name, value]) =>
                      actor.foreign.has(name) &&
                      before.get(name) !== value &&
                      before.get(name) !== actor.base.get(name),
                  );
                  expect(undone).toEqual([]);
                  const brought = changesBetween(before, (current = await stored()));
                  if (mode.exact) expect(shown(current)).toEqual(shown(patched(before, changes)));
                  taken.add(actor.lastSent.toString());
                  for (const other of runs)
                    if (other !== actor) for (const name of brought.keys()) other.foreign.add(name);
                  if (!mode.exact) runs[step.run] = await begin();
                }
                if (mode.exact && again.status === 200) actor.base = actor.document;
              } else if (step.kind === 'write') {
                const wanted = step.edits.map(([name, value]): [string, string | undefined] => [
                  name,
                  value === undefined || mode.reverts ? value : `${value}-${++unique}`,
                ]);
                const before = actor.document;
                const bytes = actor.next(new Map(wanted));
                // Nothing tells look-alikes apart when the document is as close to what another read or sent: see the
                // documentation on how to be exact.
                const distance = changesBetween(before, actor.document).size;
                const isAmbiguous = known.some(
                  ({ serial, content }) =>
                    content !== before &&
                    serial === actor.serial - 1 &&
                    changesBetween(content, actor.document).size <= distance,
                );
                if (mode.sharesConnection && isAmbiguous) return;
                known.push({ serial: actor.serial, content: actor.document });
                // Two runs that came to the same bytes look like one whose answer was lost, unless they can be told apart.
                const isKnown = !mode.exact && taken.has(bytes.toString());
                const changes = changesBetween(actor.base, actor.document);
                const overlapping = [...changes].filter(
                  ([name, value]) => actor.foreign.has(name) && current.get(name) !== value,
                );
                // Where both had come to the same value before, nothing is lost either way.
                const mustRefuse = overlapping.some(([name]) => actor.base.get(name) !== current.get(name));
                // What both removed while one of them added the same object, also in place of another one, is a move, and
                // two moves overlap.
                const added = [...changes, ...changesBetween(actor.base, current)];
                const mayBeMove = [...changes].some(
                  ([name, value]) =>
                    value === undefined &&
                    !current.has(name) &&
                    added.some(([, brought]) => brought === actor.base.get(name)),
                );
                const answer = await actor.client.post(bytes, actor.lockId ? `?ID=${actor.lockId}` : '');
                if (mustRefuse && !isKnown)
                  expect([answer.status, (answer.json() as { id: string }).id]).toEqual([409, 'TX_CONFLICT']);
                if (mode.exact && overlapping.length === 0 && !mayBeMove) expect(answer.status).toBe(200);
                if (isKnown && answer.status === 200) runs[step.run] = await begin();
                else if (answer.status === 200) {
                  taken.add(bytes.toString());
                  const touched = changesBetween(current, patched(current, changes));
                  current = patched(current, changes);
                  for (const other of runs)
                    if (other !== actor)
                      for (const name of changes.keys()) if (touched.has(name)) other.foreign.add(name);
                  actor.base = actor.document;
                } else if (mode.endsWhenRefused) runs[step.run] = await begin();
                expect([answer.status, shown(await stored())]).toEqual([answer.status, shown(current)]);
              }
            }
          } finally {
            clients.forEach((client) => client.close());
            shared.destroy();
          }
        }),
        { numRuns: SCENARIOS, seed: SEED, endOnFailure: process.env['FUZZ_SHRINK'] === undefined },
      );
    },
    180_000,
  );
});
