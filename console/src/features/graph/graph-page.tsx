import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useMemo } from 'react';
import {
  ApiFailure,
  graphBlastRadiusOptions,
  graphGraphOptions,
  type GraphView,
} from '../../platform/client';
import { Answer, Empty, Waiting, wordsOf } from '../../platform/errors';
import { formatCount, plural } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { lazyPart } from '../../platform/parts/lazy-part';
import { useStateOfPage } from '../states';
import { emptyWords } from './empty-words';
import { type ColorBy, colorOf, legendOf } from './graph-colors';
import { GraphControls, useGraphView } from './graph-controls';
import { drawingOf, type DrawnNode } from './graph-folding';
import classes from './graph-page.module.css';
import { GraphTable } from './graph-table';
import { prepareLayout } from './use-layout';

const loadCanvas = () => import('./graph-canvas').then((part) => part.GraphCanvas);
const Canvas = lazyPart(loadCanvas);

/** What hangs on what: around one instance, or the best connected ones of a state. */
export function GraphPage() {
  const state = useStateOfPage();
  usePage('Graph', state.name);
  const { view, setView } = useGraphView();
  usePreparedCanvas();
  const graph = useQuery(
    graphGraphOptions({
      path: { stateId: state.id },
      query: { address: view.address, depth: view.depth, direction: view.direction, limit: view.limit },
    }),
  );
  const isUnknown = graph.error instanceof ApiFailure && graph.error.status === 404;
  return (
    <>
      <GraphControls view={view} setView={setView} refusal={isUnknown ? wordsOf(graph.error) : undefined} />
      {isUnknown ? (
        <Empty>
          No instance of this state has this address. Leave the field empty for the best connected ones.
        </Empty>
      ) : (
        <Answer of={graph}>
          {(found) =>
            found.nodes.length === 0 ? (
              <Empty>{emptyWords(state, 'No instances yet. They appear with the first apply.')}</Empty>
            ) : (
              <DrawnGraph graph={found} />
            )
          }
        </Answer>
      )}
    </>
  );
}

/** Loads what draws while the service is asked. A failure is dealt with where the part is used. */
function usePreparedCanvas(): void {
  useEffect(() => {
    prepareLayout();
    loadCanvas().catch(() => undefined);
  }, []);
}

function DrawnGraph({ graph }: { graph: GraphView }) {
  const navigate = useNavigate();
  const { view, setView } = useGraphView();
  const { isFolded, opened } = view.folding;
  const drawing = useMemo(
    () => drawingOf(graph.nodes, graph.edges, { isFolded, opened }),
    [graph, isFolded, opened.join('\n')],
  );
  const radius = useBlastRadius();
  const by: ColorBy = view.blast ? 'distance' : view.colorBy;
  const legend = useMemo(() => legendOf(drawing.nodes, by), [drawing, by]);
  const color = useCallback(
    (node: DrawnNode) => (radius && !isHit(node, radius.hit) ? '#adb5bd' : colorOf(node, by, legend)),
    [by, legend, radius],
  );
  const open = (node: DrawnNode): void => {
    if (!node.instance) setView({ open: [...opened, node.key] });
    else
      void navigate({
        to: `/states/${node.instance.state_id}/instances`,
        search: { instance: node.instance.address },
      });
  };
  const goOn = (node: DrawnNode): void => {
    if (!node.instance) return;
    const search = { address: node.instance.address, depth: String(view.depth), direction: view.direction };
    void navigate({ to: `/states/${node.instance.state_id}/graph`, search });
  };
  return (
    <>
      <Text role="status" size="sm">
        {graph.truncated
          ? `Showing ${formatCount(graph.nodes.length)} of ${formatCount(graph.total_nodes)} instances`
          : plural(graph.nodes.length, 'instance')}
        {graph.hidden_instances > 0 &&
          `, ${formatCount(graph.hidden_instances)} more in states you may not see`}
      </Text>
      {radius && <Text size="sm">{radius.words}</Text>}
      <Suspense fallback={<Waiting />}>
        <Canvas drawing={drawing} colorOf={color} onOpen={open} onGoOn={goOn} />
      </Suspense>
      <ul className={classes.legend} aria-label={`Colors by ${by}`}>
        {legend.map(({ name, color: swatch, count }) => (
          <li key={name}>
            <span className={classes.swatch} style={{ background: swatch }} />
            {by === 'distance' ? `distance ${name}` : <bdi>{name}</bdi>} ({formatCount(count)})
          </li>
        ))}
      </ul>
      {graph.truncated && (
        <Text size="sm">
          The rest lies farther away, or has fewer neighbours. Open an instance of the table below to go on
          from it
          {view.limit < 2_000 && (
            <>
              , or{' '}
              <button type="button" onClick={() => setView({ limit: '2000' })}>
                show up to 2,000
              </button>
            </>
          )}
          .
        </Text>
      )}
      <GraphTable nodes={graph.nodes} blast={radius?.distances} />
    </>
  );
}

function isHit(node: DrawnNode, hit: ReadonlySet<string>): boolean {
  return node.instance ? hit.has(`${node.instance.state_id} ${node.instance.address}`) : true;
}

/** What would be touched by a change of the instance, across linked states. */
function useBlastRadius() {
  const state = useStateOfPage();
  const { view } = useGraphView();
  const isAsked = view.blast && view.address !== undefined;
  const { data } = useQuery({
    ...graphBlastRadiusOptions({
      path: { stateId: state.id, address: view.address ?? '' },
      query: { limit: 10_000 },
    }),
    enabled: isAsked,
  });
  return useMemo(() => {
    if (!isAsked || !data) return undefined;
    const distances = new Map(data.results.map((one) => [`${one.state_id} ${one.address}`, one.distance]));
    const hidden =
      data.hidden_instances > 0
        ? `, and ${plural(data.hidden_instances, 'instance')} in ${plural(data.hidden_states, 'state')} you may not see`
        : '';
    const words = `Blast radius: ${plural(data.reached_instances, 'instance')} in ${plural(data.reached_states, 'state')}${hidden}.`;
    return { distances, hit: new Set(distances.keys()), words };
  }, [isAsked, data]);
}
