import { useEffect, useState } from 'react';
import { type PartFailure, recoverLostPart } from '../../platform/parts/lost-part';
import type { Drawing } from './graph-folding';

/** Positions of a drawing, computed beside the page; undefined until they are there. Throws where the worker cannot be loaded. */
export function useLayout(drawing: Drawing): { drawing: Drawing; places: Float64Array } | undefined {
  const [placed, setPlaced] = useState<{ drawing: Drawing; places: Float64Array }>();
  const [failure, setFailure] = useState<PartFailure>();
  useEffect(() => {
    const worker = nextWorker();
    worker.onmessage = ({ data }: MessageEvent<Float64Array>) => setPlaced({ drawing, places: data });
    worker.onerror = (event: Event) => setFailure(recoverLostPart(event));
    worker.postMessage(taskOf(drawing));
    return () => worker.terminate();
  }, [drawing]);
  if (failure) throw failure;
  return placed?.drawing === drawing ? placed : undefined;
}

let prepared: Worker | undefined;

/** Starts a worker before its task is known: its script is loaded while the service is asked. */
export function prepareLayout(): void {
  if (prepared) return;
  const worker = startWorker();
  // One that could not be loaded is not used: the next one reports it.
  worker.onerror = () => {
    if (prepared === worker) prepared = undefined;
  };
  prepared = worker;
}

function nextWorker(): Worker {
  const worker = prepared ?? startWorker();
  prepared = undefined;
  return worker;
}

function startWorker(): Worker {
  return new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
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
