import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../platform/address';
import {
  graphSummaryOptions,
  statesExport,
  stateVersionsListOptions,
  type StateView,
} from '../../platform/client';
import { Answer } from '../../platform/errors';
import { Facts, formatCount, Id, Time } from '../../platform/formats';
import { usePage } from '../../platform/page';
import { DownloadButton } from './download-button';
import { useStateOfPage } from './state-context';

const FORMATS: Readonly<Record<StateView['format'], string>> = {
  empty: 'Empty: nothing was written yet',
  terraform: 'Terraform or OpenTofu, version 4',
  legacy: 'An older format: stored and served, without a graph',
  future: 'A newer format: stored and served, without a graph',
  encrypted: 'Encrypted: stored and served, without a graph',
};

/** What a state is and how much there is in it. */
export function OverviewPage() {
  const state = useStateOfPage();
  usePage('Overview', state.name);
  const path = { stateId: state.id };
  const summary = useQuery(graphSummaryOptions({ path }));
  const versions = useQuery(stateVersionsListOptions({ path, query: { limit: 1 } }));
  const last = versions.data?.results[0];
  return (
    <Stack gap="lg">
      {state.format === 'empty' && (
        <Alert title="Nothing was written yet" variant="default">
          <PageLink to={`/states/${state.id}/connect`}>Connect a configuration</PageLink>, then apply it.
        </Alert>
      )}
      {state.graph_error !== undefined && (
        <Alert title="This document has no graph" color="orange">
          {state.graph_error}. It is stored and served all the same; instances, modules and the graph stay
          empty.
        </Alert>
      )}
      <Answer of={summary}>
        {(counts) => (
          <Facts
            facts={[
              [
                'Instances',
                <PageLink to={`/states/${state.id}/instances`}>{formatCount(counts.instances)}</PageLink>,
              ],
              ['Resources', formatCount(counts.resources)],
              [
                'Modules',
                <PageLink to={`/states/${state.id}/modules`}>{formatCount(counts.modules)}</PageLink>,
              ],
              ['Providers', formatCount(counts.providers)],
              [
                'Dependencies',
                <PageLink to={`/states/${state.id}/graph`}>{formatCount(counts.edges)}</PageLink>,
              ],
            ]}
          />
        )}
      </Answer>
      <Facts
        facts={[
          ['Workspace', state.workspace],
          ['Format', FORMATS[state.format]],
          ['Terraform version', state.terraform_version],
          ['Version', formatCount(state.version)],
          ['Serial', formatCount(state.serial)],
          ['Lineage', state.lineage === '' ? undefined : <Id value={state.lineage} short={false} />],
          ['State id', <Id value={state.id} short={false} />],
          ['Group id', <Id value={state.group_id} short={false} />],
          ['Created', <Time value={state.created_at} />],
          ['Updated', <Time value={state.updated_at} />],
          [
            'Last transaction',
            last && (
              <PageLink to={`/transactions/${last.tx_id}`}>
                {last.tx_id.slice(0, 8)}
                {last.created_by_name === undefined ? '' : ` by ${last.created_by_name}`}
              </PageLink>
            ),
          ],
        ]}
      />
      {state.format !== 'empty' && (
        <DownloadButton
          label="Download the document"
          file={`${state.name}-${state.workspace}.tfstate`}
          read={() => statesExport({ path, parseAs: 'blob', throwOnError: true })}
        />
      )}
    </Stack>
  );
}
