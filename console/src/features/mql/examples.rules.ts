export interface Example {
  title: string;
  sql: string;
}

/** Queries in a document, each named by the sentence before it. */
export function examplesIn(markdown: string): Example[] {
  return [
    ...markdown.matchAll(/^([^\n`|#-][^\n]*(?:\n[^\n`|#-][^\n]*)*):\s*\n\s*```sql\n([\s\S]*?)\n```/gm),
  ].map(([, title = '', sql = '']) => ({ title: title.replace(/\s+/g, ' ').replaceAll('`', ''), sql }));
}
