export const CONFIG_FILE = '.infrastate/config.yml';

/** One mistake in a configuration file; `line` counts from one. */
export interface ConfigMistake {
  file: string;
  line: number;
  key: string;
  message: string;
}

/** The file is not a valid configuration. Every mistake is listed; the text is meant for people. */
export class InvalidRepoConfig extends Error {
  constructor(readonly mistakes: readonly ConfigMistake[]) {
    super(mistakes.map(({ file, line, key, message }) => `${file}:${line}: ${key}: ${message}`).join('\n'));
  }
}
