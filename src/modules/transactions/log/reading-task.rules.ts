import { type LogEntry, parseLogEntries } from './log-entries.rules.js';
import {
  type ReportContents,
  reported,
  type ReportMessage,
  type ReportPart,
} from '../report-contents.rules.js';
import { shownData } from './shown-entry.rules.js';

/** Work on texts of any size that clients sent; plain data, for it may go to another thread. */
export interface ReadingTasks {
  report: { input: ReportMessage; output: ReportContents | ReportPart | string };
  /** JSON text of log entries as it came */
  entries: { input: Uint8Array; output: LogEntry[] | string };
  /** log entries as their readers see them */
  shown: {
    input: {
      entries: readonly { objectType: string; data: string }[];
      sensitiveVariables: readonly string[];
    };
    output: string[];
  };
}

export type ReadingKind = keyof ReadingTasks;

const PERFORM: { [K in ReadingKind]: (input: ReadingTasks[K]['input']) => ReadingTasks[K]['output'] } = {
  report: reported,
  entries: (bytes) =>
    parseLogEntries(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()),
  shown: ({ entries, sensitiveVariables }) => {
    const variables = new Set(sensitiveVariables);
    return entries.map(({ objectType, data }) => shownData(objectType, data, variables));
  },
};

export function performReading<K extends ReadingKind>(
  kind: K,
  input: ReadingTasks[K]['input'],
): ReadingTasks[K]['output'] {
  return PERFORM[kind](input);
}
