import { evenShare, type Output, outputsWithin } from './comment-room.rules.js';
import { inlineText, plainText } from '../planning/inline-text.rules.js';
import {
  cut,
  type DirspaceText,
  fenced,
  harmlessMarkdown,
  htmlText,
  type StepText,
  TRUNCATED,
} from './comment-text.rules.js';

/** Output is read as far as this many times the room: the rest could not be shown, whatever is removed from it. */
export const READ_FACTOR = 4;

interface RunOutput {
  dirspaces: readonly DirspaceText[];
  steps: readonly StepText[];
  runPage: string;
}

/** What people look for first. */
export function rankOf({ state, hasChanges }: DirspaceText): number {
  if (state !== 'success') return 0;
  return hasChanges === false ? 2 : 1;
}

/** Dirspaces in their order, hooks after them; then how many are not shown. */
export function outputParts({ dirspaces, steps, runPage }: RunOutput, room: number): string[] {
  const byPlace = new Map<string, StepText[]>();
  const hooks: StepText[] = [];
  const visible = steps.filter(isShown);
  const lengths = visible.map(({ payload }) => textOf(payload).length);
  const maxRead = evenShare(lengths, room * READ_FACTOR);
  for (const step of visible) {
    if (step.dir === null) hooks.push(step);
    else {
      const own = byPlace.get(placeOf(step));
      if (own === undefined) byPlace.set(placeOf(step), [step]);
      else own.push(step);
    }
  }
  const outputs = [
    ...dirspaces.flatMap((dirspace) => {
      const own = byPlace.get(placeOf(dirspace));
      return own === undefined ? [] : [dirspaceOutput(dirspace, own, maxRead)];
    }),
    ...hooks.map((step) => hookOutput(step, maxRead)),
  ];
  const { shown, left } = outputsWithin(outputs, room - notShown(outputs, runPage).length);
  return left.length === 0 ? shown : [...shown, notShown(left, runPage)];
}

function placeOf({ dir, workspace }: Pick<StepText, 'dir' | 'workspace'>): string {
  return JSON.stringify([dir, workspace]);
}

function notShown(left: readonly Output[], runPage: string): string {
  const hooks = left.filter(({ isHook }) => isHook).length;
  const directories = left.length - hooks;
  const parts = [
    ...(directories > 0 ? [`${directories} ${directories === 1 ? 'directory' : 'directories'}`] : []),
    ...(hooks > 0 ? [`${hooks} ${hooks === 1 ? 'hook' : 'hooks'}`] : []),
  ];
  return `**Not shown here**: the output of ${parts.join(' and ')}. All of it is on the [page of the run](${runPage}).`;
}

/** The steps of one dirspace, which are shown or left out together. */
function dirspaceOutput(dirspace: DirspaceText, steps: readonly StepText[], maxRead: number): Output {
  const name = `${dirspace.dir} (${dirspace.workspace})`;
  const rendered = steps.map((step) => outputOf(`${name}: ${step.step}`, step, maxRead));
  return {
    isHook: false,
    rank: steps.some(({ state }) => state === 'failure') ? 0 : rankOf(dirspace),
    length: rendered.reduce((sum, { length }) => sum + length, 0),
    render: (maxLength) => rendered.map(({ render }) => render(maxLength)).join('\n\n'),
  };
}

function hookOutput(step: StepText, maxRead: number): Output {
  return {
    ...outputOf(`${step.subflow ?? 'hook'} hook ${step.step}`, step, maxRead),
    isHook: true,
    rank: step.state === 'failure' ? 0 : 3,
  };
}

/** A successful plan or apply is folded, a failure is not. */
function outputOf(
  title: string,
  { state, payload }: StepText,
  maxRead: number,
): Pick<Output, 'length' | 'render'> {
  const whole = textOf(payload);
  const read = plainText(whole.slice(0, maxRead)).trim();
  const text = whole.length > maxRead ? `${read}\n${TRUNCATED}` : read;
  return {
    length: text.length,
    render: (maxLength) => {
      const block = blockOf(cut(text, maxLength), payload?.['format']);
      return state === 'failure'
        ? `**${inlineText(title)} failed**\n\n${block}`
        : `<details><summary>${htmlText(title)}</summary>\n\n${block}\n\n</details>`;
    },
  };
}

/** `visible_on` looks at the state of the step itself; plans and applies are always shown, other steps when they fail. */
export function isShown({ step, state, payload }: StepText): boolean {
  const visible = payload?.['visible_on'];
  if (visible === 'always' || visible === state) return true;
  if (visible !== undefined) return false;
  return step === 'tf/plan' || step === 'tf/apply' || state === 'failure';
}

function blockOf(text: string, format: unknown): string {
  if (format === 'raw' || format === 'markdown') return harmlessMarkdown(text);
  const lang = langOf(format);
  return fenced(text, /^[A-Za-z0-9_+-]{0,32}$/.test(lang) ? lang : '');
}

function textOf(payload: Record<string, unknown> | null): string {
  const text = payload?.['plan'] ?? payload?.['text'];
  return typeof text === 'string' ? text : '';
}

function langOf(format: unknown): string {
  const lang: unknown =
    typeof format === 'object' && format !== null && 'lang' in format ? format.lang : undefined;
  return typeof lang === 'string' ? lang : '';
}
