import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import {
  BY_PAGE_TOKEN,
  githubRunLogRead,
  githubRunsOutputsInfiniteOptions,
  githubRunsWorkManifestOptions,
  githubRunsWorkManifestsInfiniteOptions,
  gitlabRunLogRead,
  gitlabRunsOutputsInfiniteOptions,
  gitlabRunsWorkManifestOptions,
  gitlabRunsWorkManifestsInfiniteOptions,
  type LogChunkView,
} from '../../platform/client';

/** How often what is still under way is asked for again. */
const FOLLOW_MS = 2_000;
const LIST_MS = 10_000;

export interface RunPlace {
  vcs: string;
  installationId: string;
  workManifestId: string;
}

export function isUnderWay(state: string): boolean {
  return state === 'queued' || state === 'running';
}

export interface RunSearch {
  /** a tag query; empty: all runs */
  q: string;
  /** order by creation; the newest first when absent */
  d?: 'asc' | 'desc' | undefined;
  /** time zone of the dates in `q`; that of the browser when absent */
  tz?: string | undefined;
}

/** Runs of an installation that a tag query finds. */
export function useRuns(
  { vcs, installationId }: Omit<RunPlace, 'workManifestId'>,
  { q, d, tz = Intl.DateTimeFormat().resolvedOptions().timeZone }: RunSearch,
) {
  const options = {
    path: { installationId },
    query: { tz, ...(q === '' ? {} : { q }), ...(d === undefined ? {} : { d }) },
  };
  const github = useInfiniteQuery({
    ...githubRunsWorkManifestsInfiniteOptions(options),
    ...BY_PAGE_TOKEN,
    enabled: vcs !== 'gitlab',
    refetchInterval: LIST_MS,
  });
  const gitlab = useInfiniteQuery({
    ...gitlabRunsWorkManifestsInfiniteOptions(options),
    ...BY_PAGE_TOKEN,
    enabled: vcs === 'gitlab',
    refetchInterval: LIST_MS,
  });
  return vcs === 'gitlab' ? gitlab : github;
}

/** One run, asked for again until it has ended. */
export function useRun({ vcs, ...path }: RunPlace) {
  const refetchInterval = (query: { state: { data?: { state: string } | undefined } }): number | false =>
    isUnderWay(query.state.data?.state ?? 'queued') ? FOLLOW_MS : false;
  const github = useQuery({
    ...githubRunsWorkManifestOptions({ path }),
    enabled: vcs !== 'gitlab',
    refetchInterval,
  });
  const gitlab = useQuery({
    ...gitlabRunsWorkManifestOptions({ path }),
    enabled: vcs === 'gitlab',
    refetchInterval,
  });
  return vcs === 'gitlab' ? gitlab : github;
}

/** Steps of a run with what they said. */
export function useSteps({ vcs, ...path }: RunPlace, isLive: boolean) {
  const refetchInterval = isLive ? FOLLOW_MS : (false as const);
  const github = useInfiniteQuery({
    ...githubRunsOutputsInfiniteOptions({ path }),
    ...BY_PAGE_TOKEN,
    enabled: vcs !== 'gitlab',
    refetchInterval,
  });
  const gitlab = useInfiniteQuery({
    ...gitlabRunsOutputsInfiniteOptions({ path }),
    ...BY_PAGE_TOKEN,
    enabled: vcs === 'gitlab',
    refetchInterval,
  });
  return vcs === 'gitlab' ? gitlab : github;
}

interface ReadLog {
  chunks: LogChunkView[];
  done: boolean;
}

/** What a run has printed so far; only what is new is asked for again. */
export function useRunLog({ vcs, ...path }: RunPlace) {
  return useQuery({
    queryKey: ['run-log', vcs, path.installationId, path.workManifestId],
    queryFn: async ({ client, queryKey, signal }): Promise<ReadLog> => {
      const chunks = [...(client.getQueryData<ReadLog>(queryKey)?.chunks ?? [])];
      const read = vcs === 'gitlab' ? gitlabRunLogRead : githubRunLogRead;
      for (;;) {
        const after = chunks.at(-1)?.seq ?? -1;
        const { data } = await read({ path, query: { after }, signal, throwOnError: true });
        chunks.push(...data.chunks);
        if (data.done || data.chunks.length === 0) return { chunks, done: data.done };
      }
    },
    refetchInterval: (query) => (query.state.data?.done === true ? false : FOLLOW_MS),
  });
}
