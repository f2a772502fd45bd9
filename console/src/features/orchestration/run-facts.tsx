import { OutsideLink, PageLink } from '../../platform/address';
import type { RunStandingView, WorkManifestView } from '../../platform/client';
import { Facts, Id, Time } from '../../platform/formats';
import { RunState } from './run-state';
import { originOf, outcomeOf } from './run-words';

interface RunFactsProps {
  run: WorkManifestView;
  standing: RunStandingView | undefined;
  /** address of the installation */
  base: string;
}

/** What a run is for, where it runs, and when it did what. */
export function RunFacts({ run, standing, base }: RunFactsProps) {
  return (
    <Facts
      facts={[
        ['State', <RunState key="state" state={outcomeOf(run)} />],
        ['Type', run.run_type],
        ['For', <Origin key="for" run={run} base={base} />],
        ['Repository', <bdi key="repository">{`${run.owner}/${run.repo}`}</bdi>],
        ['Branch', <bdi key="branch">{`${run.branch} → ${run.base_branch}`}</bdi>],
        ['Commit', <Id key="commit" value={run.branch_ref} short />],
        ['Tag query', run.tag_query === '' ? undefined : <bdi key="query">{run.tag_query}</bdi>],
        ['Environment', run.environment],
        ['Runs in', standing && (standing.pool === undefined ? 'CI' : `pool ${standing.pool}`)],
        ['CI run', <CiRun key="ci" run={run} standing={standing} />],
        ['By', run.user],
        ['Created', <Time key="created" value={run.created_at} />],
        ...timesOf(run, standing),
      ]}
    />
  );
}

function Origin({ run, base }: Pick<RunFactsProps, 'run' | 'base'>) {
  const { kind, repo_id } = run;
  if (typeof kind === 'string') return originOf(run);
  return (
    <PageLink to={`${base}/pull-requests/${encodeURIComponent(repo_id)}/${kind.pull_number}`}>
      <bdi>{originOf(run)}</bdi>
    </PageLink>
  );
}

function CiRun({ run, standing }: Pick<RunFactsProps, 'run' | 'standing'>) {
  if (standing?.run_url === undefined) return run.run_id ?? '–';
  return <OutsideLink href={standing.run_url}>{run.run_id ?? 'open'}</OutsideLink>;
}

/** Only what has happened. */
function timesOf(run: WorkManifestView, standing: RunStandingView | undefined) {
  const time = (name: string, value: string | undefined) =>
    [name, value === undefined ? undefined : <Time key={name} value={value} />] as const;
  return [
    time('Began', standing?.started_at),
    time('Runner seen', run.state === 'running' ? standing?.heartbeat_at : undefined),
    time('Ended', run.completed_at),
    time('Comment and checks written', typeof run.kind === 'string' ? undefined : standing?.reported_at),
  ];
}
