import { useComputedColorScheme } from '@mantine/core';
import Graph from 'graphology';
import { useEffect, useRef, useState } from 'react';
import Sigma from 'sigma';
import { Waiting } from '../../platform/errors';
import classes from './graph-page.module.css';
import type { DrawnNode, Drawing } from './graph-folding';
import { useLayout } from './use-layout';

const DOUBLE_CLICK_MS = 260;

interface CanvasProps {
  drawing: Drawing;
  colorOf: (node: DrawnNode) => string;
  onOpen: (node: DrawnNode) => void;
  onGoOn: (node: DrawnNode) => void;
}

/** The drawing; everything in it also stands in the table below. */
export function GraphCanvas({ drawing, colorOf, onOpen, onGoOn }: CanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  const actions = useRef({ onOpen, onGoOn });
  actions.current = { onOpen, onGoOn };
  const placed = useLayout(drawing);
  const scheme = useComputedColorScheme('light');
  const [isImpossible, setImpossible] = useState(false);
  useEffect(() => {
    if (!host.current || !placed) return undefined;
    try {
      return draw(host.current, placed, { colorOf, isDark: scheme === 'dark', actions });
    } catch {
      setImpossible(true);
      return undefined;
    }
  }, [placed, colorOf, scheme]);
  return (
    <div className={classes.frame}>
      <div
        ref={host}
        role="img"
        aria-label="Dependency graph"
        className={classes.canvas}
        data-drawn={placed !== undefined || undefined}
      />
      {!placed && (
        <div className={classes.over}>
          <Waiting label="Placing the instances" />
        </div>
      )}
      {isImpossible && (
        <p className={classes.over}>
          This browser cannot draw the graph. The table below has everything in it.
        </p>
      )}
    </div>
  );
}

interface Look {
  colorOf: (node: DrawnNode) => string;
  isDark: boolean;
  actions: { current: Pick<CanvasProps, 'onOpen' | 'onGoOn'> };
}

/** Few lines can be strong; many would cover what they connect. */
function edgeColor(isDark: boolean, count: number): string {
  const isStrong = count < 300;
  if (isDark) return isStrong ? '#868e96' : '#5c636a';
  return isStrong ? '#868e96' : '#ced4da';
}

function draw(
  host: HTMLElement,
  { drawing, places }: { drawing: Drawing; places: Float64Array },
  look: Look,
): () => void {
  const graph = new Graph({ type: 'directed', multi: false });
  const nodes = new Map(drawing.nodes.map((node) => [node.key, node]));
  drawing.nodes.forEach((node, index) =>
    graph.addNode(node.key, {
      x: places[index * 2],
      y: places[index * 2 + 1],
      size: Math.min(16, (node.distance === 0 ? 7 : 4) + Math.log2(node.size)),
      label: node.size > 1 ? `${node.label} (${node.size})` : node.label,
      color: look.colorOf(node),
    }),
  );
  for (const { from, to } of drawing.edges) graph.addEdge(from, to);
  const sigma = new Sigma(graph, host, {
    defaultEdgeType: 'arrow',
    defaultEdgeColor: edgeColor(look.isDark, drawing.edges.length),
    labelColor: { color: look.isDark ? '#e9ecef' : '#212529' },
    labelRenderedSizeThreshold: drawing.nodes.length > 150 ? 7 : 3,
    hideEdgesOnMove: drawing.nodes.length > 800,
    // Names stand to the right of their instances: room for that of the last one.
    stagePadding: Math.min(120, host.clientWidth / 6),
    allowInvalidContainer: true,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  sigma.on('clickNode', ({ node }) => {
    clearTimeout(timer);
    timer = setTimeout(() => act('onOpen', node), DOUBLE_CLICK_MS);
  });
  sigma.on('doubleClickNode', (event) => {
    clearTimeout(timer);
    event.preventSigmaDefault();
    act('onGoOn', event.node);
  });
  const act = (name: 'onOpen' | 'onGoOn', key: string): void => {
    const node = nodes.get(key);
    if (node) look.actions.current[name](node);
  };
  return () => {
    clearTimeout(timer);
    sigma.kill();
  };
}
