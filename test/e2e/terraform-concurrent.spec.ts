import { rounds } from '../support/endurance.js';
import { randomUUID } from 'node:crypto';
import { aBackend, addressOf, backendBlock, send, TestBackend } from '../support/backend.js';
import { describeWith, Outcome, TerraformWorkspace } from '../support/terraform.js';

/** CONCURRENT_ROUNDS=20 is a short run. CONCURRENT_WRITERS processes work in each. */
const ROUNDS = Number(process.env['CONCURRENT_ROUNDS'] ?? rounds(15, 200));
const WRITERS = Number(process.env['CONCURRENT_WRITERS'] ?? 3);
const RESOURCES = 8;

interface Document {
  resources: { name: string; instances: { attributes: { input: { value: string } | string | null } }[] }[];
}

describeWith('terraform', 'Several terraform processes on one key', () => {
  let backend: TestBackend;
  const writers: TerraformWorkspace[] = [];

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(async () => {
    for (const writer of writers) writer.remove();
    await backend.stop();
  });

  function configuration(values: readonly string[]): string {
    return values
      .map((value, index) => `resource "terraform_data" "r${index}" {\n  input = "${value}"\n}\n`)
      .join('');
  }

  async function valuesIn(address: string): Promise<(string | undefined)[]> {
    const document = (await send(address, { key: backend.key })).json() as Document;
    const values = new Map(
      document.resources.map(({ name, instances }) => {
        const input = instances[0]?.attributes.input;
        return [name, typeof input === 'string' ? input : input?.value];
      }),
    );
    return Array.from({ length: RESOURCES }, (_, index) => values.get(`r${index}`));
  }

  async function start(
    count: number,
  ): Promise<{ address: string; all: TerraformWorkspace[]; base: string[] }> {
    const group = await backend.aState();
    const address = addressOf(backend.url, group.groupId, randomUUID());
    const base = Array.from({ length: RESOURCES }, (_, index) => `base${index}`);
    const all = Array.from(
      { length: count },
      () =>
        new TerraformWorkspace({
          'backend.tf': backendBlock(address, backend.key),
          'main.tf': configuration(base),
        }),
    );
    writers.push(...all);
    await Promise.all(all.map((workspace) => workspace.run(['init'])));
    await all[0]?.run(['apply', '-auto-approve']);
    return { address, all, base };
  }

  /** All apply at once, so that most stand on the same base. */
  async function race(
    round: { workspace: TerraformWorkspace; values: string[]; targets: number[] }[],
  ): Promise<Outcome[]> {
    for (const { workspace, values } of round) workspace.write({ 'main.tf': configuration(values) });
    return Promise.all(
      round.map(({ workspace, targets }) =>
        workspace.try([
          'apply',
          '-no-color',
          '-auto-approve',
          ...targets.map((target) => `-target=terraform_data.r${target}`),
        ]),
      ),
    );
  }

  it(`loses no acknowledged change in ${ROUNDS} rounds of random targets`, async () => {
    const { address, all, base } = await start(WRITERS);
    let current: (string | undefined)[] = base;
    let accepted = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const known = current.map((value, index) => value ?? `again${index}`);
      const plans = all.map((workspace, writer) => {
        const targets = [0, 1, 2, 3, 4, 5, 6, 7].filter(
          (index) => (Math.imul(round * 31 + writer * 7 + index * 13 + 5, 0x9e3779b1) >>> 28) % 4 === 0,
        );
        const chosen = targets.length > 0 ? targets : [(round + writer) % RESOURCES];
        return {
          workspace,
          targets: chosen,
          values: known.map((value, index) =>
            chosen.includes(index) ? `round${round}-writer${writer}` : value,
          ),
        };
      });
      const outcomes = await race(plans);
      const now = await valuesIn(address);
      accepted += outcomes.filter((outcome) => outcome.code === 0).length;
      for (let index = 0; index < RESOURCES; index++) {
        const touching = plans.flatMap(({ targets }, writer) => (targets.includes(index) ? [writer] : []));
        const succeeded = touching
          .filter((writer) => outcomes[writer]?.code === 0)
          .map((writer) => `round${round}-writer${writer}`);
        // A refused apply may have had its first write taken; an untouched resource keeps its value.
        const possible =
          succeeded.length > 0
            ? succeeded
            : [current[index], ...touching.map((writer) => `round${round}-writer${writer}`)];
        expect({ round, index, possible, value: now[index] }).toEqual({
          round,
          index,
          possible: expect.arrayContaining([now[index]]) as unknown[],
          value: now[index],
        });
      }
      current = now;
    }
    expect(accepted).toBeGreaterThanOrEqual(ROUNDS);
    const check = all[0];
    check?.write({ 'main.tf': configuration(current.map((value) => value ?? '')) });
    expect(await check?.run(['plan', '-no-color'])).toContain('No changes.');
  }, 600_000);

  it('lets all disjoint applies succeed, and a plan of the merged document says No changes', async () => {
    const { address, all, base } = await start(4);
    for (let round = 0; round < 3; round++) {
      const plans = all.map((workspace, writer) => {
        const targets = [writer * 2, writer * 2 + 1];
        return {
          workspace,
          targets,
          values: base.map((value, index) =>
            targets.includes(index) ? `disjoint${round}-${writer}` : value,
          ),
        };
      });
      const outcomes = await race(plans);
      expect(outcomes.map((outcome) => [outcome.code, outcome.stderr])).toEqual(plans.map(() => [0, '']));
      const expected = base.map((_, index) => `disjoint${round}-${Math.floor(index / 2)}`);
      expect(await valuesIn(address)).toEqual(expected);
      all[0]?.write({ 'main.tf': configuration(expected) });
      expect(await all[0]?.run(['plan', '-no-color'])).toContain('No changes.');
    }
    const { state_id: stateId } = (
      await backend.service.pool.query<{ state_id: string }>(
        `SELECT id AS state_id FROM states WHERE workspace = $1`,
        [address.split('/').at(-1)],
      )
    ).rows[0] ?? { state_id: '' };
    const merged = (
      await backend.api('GET', `/states/${stateId}/submissions?status=merged&limit=1000`)
    ).json() as { results: unknown[] };
    const refused = (await backend.api('GET', `/states/${stateId}/submissions?status=refused`)).json() as {
      results: unknown[];
    };
    expect([merged.results.length > 0, refused.results]).toEqual([true, []]);
  }, 120_000);
});
