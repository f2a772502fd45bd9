/** A resource to be imported, as a request or the inventory names it. */
export interface ImportSource {
  /** ARN, asset name or ARM id */
  id: string;
  resourceType?: string | undefined;
  region?: string | undefined;
  account?: string | undefined;
  /** of the inventory: what tells Terraform types of one cloud type apart */
  attributes?: Readonly<Record<string, string>> | undefined;
}

/** What Terraform imports. */
export interface ImportTarget {
  terraformType: string;
  importId: string;
  /** label before it is made unique */
  name: string;
  /** arguments that the id tells, in this order */
  arguments: readonly (readonly [name: string, value: string])[];
  /** undefined: global, or not told */
  region?: string | undefined;
  account?: string | undefined;
  partition?: string | undefined;
  /** for whoever reads the block */
  remark?: string | undefined;
}

export type ImportMapping = { readonly target: ImportTarget } | { readonly reason: string };
