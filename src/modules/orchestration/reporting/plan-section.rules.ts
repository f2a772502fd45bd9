import { inlineCode, inlineText } from '../planning/inline-text.rules.js';

export interface PlanSectionLine {
  dir: string;
  workspace: string;
  text: string;
}

/** More directories than this are counted: the page of the run has all of them. */
const MOST_LINES = 20;

/** A section of a run's comment, one line for each directory. */
export function planSection(title: string, lines: readonly PlanSectionLine[]): string {
  const shown = lines
    .slice(0, MOST_LINES)
    .map(
      ({ dir, workspace, text }) =>
        `- \`${inlineCode(dir)}\` (\`${inlineCode(workspace)}\`): ${inlineText(text)}`,
    );
  const rest = lines.length - shown.length;
  return [`**${inlineText(title)}**`, ...shown, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n');
}
