import { mergeRequest } from './gitlab-project-routes.js';
import type { GitlabMergeRequest, GitlabProject } from './gitlab-stand-in.js';

/** Blocks in which GitLab looks for no quick actions. A fence of more than three backticks is none to it. */
const EXCLUDED = [
  '^```.+?\\n```$',
  '^`\\n*.+?\\n*`$',
  '^<[^>]+?>\\n.+?\\n<\\/[^>]+?>$',
  '^>>>.+?\\n>>>$',
].join('|');
const QUICK_ACTION = new RegExp(
  `${EXCLUDED}|^\\/(approve|unapprove|merge|close|reopen|assign|label|title)(?: ([^\\n]*))?(?:\\s*\\n|$)`,
  'gims',
);

export interface QuickAction {
  name: string;
  argument: string;
}

/** As GitLab does it: lines that begin with a quick action are taken out of a text, and done. */
export function extractQuickActions(text: string): { rest: string; actions: QuickAction[] } {
  const actions: QuickAction[] = [];
  const rest = text
    .replaceAll('\r', '')
    .replace(QUICK_ACTION, (whole, name: string | undefined, argument: string | undefined) => {
      if (name === undefined) return whole;
      actions.push({ name: name.toLowerCase(), argument: argument ?? '' });
      return '';
    });
  return { rest: rest.trimEnd(), actions };
}

/** Acts with the rights of whoever wrote the text. */
export function actOn(
  project: GitlabProject,
  request: GitlabMergeRequest,
  { actions, username }: { actions: readonly QuickAction[]; username: string },
): void {
  for (const { name, argument } of actions)
    switch (name) {
      case 'approve':
        if (!request.approvedBy.includes(username)) request.approvedBy.push(username);
        break;
      case 'merge':
        if (request.state === 'opened') mergeRequest(project, request);
        break;
      case 'close':
        Object.assign(request, { state: 'closed', closedAt: new Date().toISOString() });
        break;
      case 'title':
        request.title = argument;
        break;
    }
}
