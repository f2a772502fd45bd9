/** What the decorators of class-transformer 0.5 have recorded; the package exports no way to read it. */
declare module 'class-transformer/cjs/storage.js' {
  interface TransformParameters {
    value: unknown;
    key: string;
    obj: unknown;
    type: number;
    options: object;
  }

  export const defaultMetadataStorage: {
    findTypeMetadata(target: object, field: string): { typeFunction: () => unknown } | undefined;
    findTransformMetadatas(
      target: object,
      field: string,
      type: number,
    ): { transformFn: (parameters: TransformParameters) => unknown }[];
  };
}
