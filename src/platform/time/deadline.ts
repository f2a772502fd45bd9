/**
 * What `work` answers, or what `late` answers or throws when `ms` pass first. The work goes on then; its failure is
 * ignored. The timer ends with the race.
 */
export async function withDeadline<T, L = never>(
  work: Promise<T>,
  ms: number,
  late: () => L,
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  }).then(late);
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
