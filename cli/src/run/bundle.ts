import type { ConfigurationFileContent } from '../configuration/read-files.js';
import type { JsonObject } from '../configuration/block-data.rules.js';

/** What has to be planned: part of a configuration and the part of the state that belongs to it. */
export interface Bundle {
  hcl: BundleBlock[];
  files: ConfigurationFileContent[];
  /** a state document of version 4, its numbers as they were written */
  state: string;
  /** true when there is nothing to plan */
  isEmpty: boolean;
}

export interface BundleBlock {
  /** relative to the root directory */
  file: string;
  /** call path, "" is the root module */
  module: string;
  /** one block in Terraform's JSON syntax */
  data: JsonObject;
}
