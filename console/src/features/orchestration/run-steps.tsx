import { Button } from '@mantine/core';
import { useState } from 'react';
import type { StepOutputView } from '../../platform/client';
import { SidePanel } from '../../platform/dialogs';
import { Time } from '../../platform/formats';
import { type Column, Listing } from '../../platform/table';
import { PrintedOutput } from '../transactions';
import { type RunPlace, useSteps } from './run-provider';
import { RunState } from './run-state';
import { textOfPayload } from './run-words';

/** Steps of a run in their order; what one said opens beside them. */
export function RunSteps({ place, isLive }: { place: RunPlace; isLive: boolean }) {
  const [opened, setOpened] = useState<StepOutputView>();
  const columns: Column<StepOutputView>[] = [
    { header: 'Step', cell: ({ step }) => step },
    { header: 'Where', cell: ({ scope }) => <bdi>{whereOf(scope)}</bdi> },
    { header: 'State', cell: ({ state }) => <RunState state={state} /> },
    { header: 'At', isWide: true, cell: ({ created_at }) => <Time value={created_at} /> },
    {
      header: 'Output',
      isHeaderHidden: true,
      cell: (step) =>
        textOfPayload(step.payload) !== '' && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Show the output of ${step.step} in ${whereOf(step.scope)}`}
            onClick={() => setOpened(step)}
          >
            Output
          </Button>
        ),
    },
  ];
  return (
    <>
      <Listing
        name="Steps"
        query={useSteps(place, isLive)}
        rowsOf={({ steps }) => steps}
        columns={columns}
        rowKey={({ idx }) => String(idx)}
        empty={isLive ? 'No step has ended yet.' : 'This run reported no steps.'}
      />
      {opened && (
        <SidePanel title={`${opened.step} in ${whereOf(opened.scope)}`} onClose={() => setOpened(undefined)}>
          <PrintedOutput text={textOfPayload(opened.payload)} label="Output of the step" searchName="find" />
        </SidePanel>
      )}
    </>
  );
}

function whereOf(scope: StepOutputView['scope']): string {
  if (scope.type === 'run') return scope.subflow === undefined ? 'the run' : `${scope.subflow} hooks`;
  const dir = scope.dir === '' || scope.dir === undefined ? '.' : scope.dir;
  return scope.workspace === 'default' ? dir : `${dir} (${scope.workspace})`;
}
