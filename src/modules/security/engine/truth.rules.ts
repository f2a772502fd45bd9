/** Three-valued: undefined is "cannot be told". */
export type Truth = boolean | undefined;

export function notTruth(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

/** True when one is true, unknown when none is but one is unknown. Later items are not looked at after a true one. */
export function someTruth<T>(items: Iterable<T>, test: (item: T) => Truth): Truth {
  let result: Truth = false;
  for (const item of items) {
    const truth = test(item);
    if (truth === true) return true;
    if (truth === undefined) result = undefined;
  }
  return result;
}

export function everyTruth<T>(items: Iterable<T>, test: (item: T) => Truth): Truth {
  return notTruth(someTruth(items, (item) => notTruth(test(item))));
}
