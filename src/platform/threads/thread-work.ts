/** A pure function that takes long for a large input, and where a thread finds it. Input and output are plain data. */
export interface ThreadWork<Input, Output> {
  /** a compiled module, which exports this object as `name` */
  file: string;
  name: string;
  perform: (input: Input) => Output;
}

export function defineThreadWork<Input, Output>(
  file: string,
  name: string,
  perform: (input: Input) => Output,
): ThreadWork<Input, Output> {
  return { file, name, perform };
}
