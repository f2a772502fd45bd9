import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import {
  BY_PAGE_TOKEN,
  githubRunOverviewsCancelRunMutation,
  githubRunOverviewsListDriftInfiniteOptions,
  githubRunOverviewsListSchedulesOptions,
  githubRunOverviewsReadPullRequestOptions,
  githubRunOverviewsReadStandingOptions,
  githubRunOverviewsReleaseRunMutation,
  githubRunOverviewsStartDriftMutation,
  gitlabRunOverviewsCancelRunMutation,
  gitlabRunOverviewsListDriftInfiniteOptions,
  gitlabRunOverviewsListSchedulesOptions,
  gitlabRunOverviewsReadPullRequestOptions,
  gitlabRunOverviewsReadStandingOptions,
  gitlabRunOverviewsReleaseRunMutation,
  gitlabRunOverviewsStartDriftMutation,
  type DriftView,
  type PullRequestOverviewView,
} from '../../platform/client';
import { isUnderWay, type RunPlace } from './run-provider';

/** How often what is under way, and what is quiet, is asked for again. */
const FOLLOW_MS = 2_000;
const QUIET_MS = 10_000;

export interface InstallationPlace {
  vcs: string;
  installationId: string;
}
export interface PullRequestPlace extends InstallationPlace {
  repoId: string;
  pullNumber: string;
}

/** How far a run is, asked for again until it has ended. */
export function useStanding({ vcs, ...path }: RunPlace, isLive: boolean) {
  const refetchInterval = isLive ? FOLLOW_MS : (false as const);
  const github = useQuery({
    ...githubRunOverviewsReadStandingOptions({ path }),
    enabled: vcs !== 'gitlab',
    refetchInterval,
  });
  const gitlab = useQuery({
    ...gitlabRunOverviewsReadStandingOptions({ path }),
    enabled: vcs === 'gitlab',
    refetchInterval,
  });
  return vcs === 'gitlab' ? gitlab : github;
}

export function useCancelRun(vcs: string) {
  const github = useMutation(githubRunOverviewsCancelRunMutation());
  const gitlab = useMutation(gitlabRunOverviewsCancelRunMutation());
  return vcs === 'gitlab' ? gitlab : github;
}

export function usePullRequest({ vcs, ...path }: PullRequestPlace) {
  const refetchInterval = (query: { state: { data?: PullRequestOverviewView | undefined } }): number =>
    (query.state.data?.directories ?? []).some(({ plan, apply }) =>
      [plan, apply].some((run) => run !== undefined && isUnderWay(run.state)),
    )
      ? FOLLOW_MS
      : QUIET_MS;
  const github = useQuery({
    ...githubRunOverviewsReadPullRequestOptions({ path }),
    enabled: vcs !== 'gitlab',
    refetchInterval,
  });
  const gitlab = useQuery({
    ...gitlabRunOverviewsReadPullRequestOptions({ path }),
    enabled: vcs === 'gitlab',
    refetchInterval,
  });
  return vcs === 'gitlab' ? gitlab : github;
}

export interface DriftFilter {
  state?: DriftView['state'];
  repo?: string;
}

export function useDrift({ vcs, ...path }: InstallationPlace, filter: DriftFilter) {
  const options = { path, query: filter };
  const github = useInfiniteQuery({
    ...githubRunOverviewsListDriftInfiniteOptions(options),
    ...BY_PAGE_TOKEN,
    enabled: vcs !== 'gitlab',
    refetchInterval: QUIET_MS,
  });
  const gitlab = useInfiniteQuery({
    ...gitlabRunOverviewsListDriftInfiniteOptions(options),
    ...BY_PAGE_TOKEN,
    enabled: vcs === 'gitlab',
    refetchInterval: QUIET_MS,
  });
  return vcs === 'gitlab' ? gitlab : github;
}

export function useDriftSchedules({ vcs, ...path }: InstallationPlace) {
  const github = useQuery({
    ...githubRunOverviewsListSchedulesOptions({ path }),
    enabled: vcs !== 'gitlab',
    refetchInterval: QUIET_MS,
  });
  const gitlab = useQuery({
    ...gitlabRunOverviewsListSchedulesOptions({ path }),
    enabled: vcs === 'gitlab',
    refetchInterval: QUIET_MS,
  });
  return vcs === 'gitlab' ? gitlab : github;
}

export function useStartDrift(vcs: string) {
  const github = useMutation(githubRunOverviewsStartDriftMutation());
  const gitlab = useMutation(gitlabRunOverviewsStartDriftMutation());
  return vcs === 'gitlab' ? gitlab : github;
}

export function useReleaseRun(vcs: string) {
  const github = useMutation(githubRunOverviewsReleaseRunMutation());
  const gitlab = useMutation(gitlabRunOverviewsReleaseRunMutation());
  return vcs === 'gitlab' ? gitlab : github;
}
