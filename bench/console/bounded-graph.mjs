// The graph that the console draws, beside the blast radius of the same instance.
import { get, quantile } from '../service.mjs';

const SEEDS = 100;
const ROUNDS = 3;

export async function boundedGraph(service, stateId) {
  const { results } = await get(service, `/states/${stateId}/instances?limit=1000`);
  const step = Math.floor(results.length / SEEDS);
  const seeds = results.filter((_, index) => index % step === 0).slice(0, SEEDS);
  const [drawn, radius] = [[], []];
  for (let round = 0; round < ROUNDS; round++)
    for (const { address } of seeds) {
      const query = new URLSearchParams({ address, depth: '3' });
      drawn.push(await timed(service, `/states/${stateId}/graph?${query}`));
      radius.push(
        await timed(service, `/states/${stateId}/instances/${encodeURIComponent(address)}/blast-radius`),
      );
    }
  const [ours, theirs] = [quantile(drawn, 0.95), quantile(radius, 0.95)];
  return {
    work: `graph around an instance, depth 3, p95 of ${drawn.length}`,
    measured: `${ours.toFixed(1)} ms`,
    peer: `blast radius of the same instances ${theirs.toFixed(1)} ms`,
    ratio: (ours / theirs).toFixed(2),
    goal: 'at most 1.5',
    met: ours <= theirs * 1.5,
  };
}

async function timed(service, path) {
  const start = performance.now();
  await get(service, path);
  return performance.now() - start;
}
