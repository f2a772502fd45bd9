import { useEffect, useState } from 'react';
import { type PartFailure, recoverLostPart } from '../../platform/parts/lost-part';
import type { Drawing } from './graph-folding';

/** Positions of a drawing, computed beside the page; undefined until they are there. Throws where the worker cannot be loaded. */
export function useLayout(drawing: Drawing): { drawing: Drawing; places: Float64Array } | undefined {
  const [placed, setPlaced] = useState<{ drawing: Drawing; places: Float64Array }>();
  const [failure, setFailure] = useState<PartFailure>();
  useEffect(() => {
    const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Float64Array>) => setPlaced({ drawing, places: data });
    worker.onerror = (event: Event) => setFailure(recoverLostPart(event));
    worker.postMessage(taskOf(drawing));
    return () => worker.terminate();
  }, [drawing]);
  if (failure) throw failure;
  return placed?.drawing === drawing ? placed : undefined;
}

function taskOf({ nodes, edges }: Drawing) {
  const positions = new Map(nodes.map(({ key }, index) => [key, index]));
  return {
    distances: nodes.map(({ distance }) => distance),
    edges: edges.map(
      ({ from, to }) => [positions.get(from) ?? 0, positions.get(to) ?? 0] as [number, number],
    ),
  };
}
