import { parseAnsi } from '../transactions/ansi';
import { runLogText } from './run-log-text';

const plain = (chunks: Parameters<typeof runLogText>[0]): string =>
  parseAnsi(runLogText(chunks))
    .map(({ text }) => text)
    .join('');

it('names the directory wherever it changes, and nothing in a log of the run alone', () => {
  expect(plain([{ text: 'a hook\n' }, { text: 'another\n' }])).toBe('a hook\nanother\n');
  expect(
    plain([
      { text: 'a hook\n' },
      { dir: 'network', workspace: 'default', text: 'init\n' },
      { dir: 'network', workspace: 'default', text: 'plan\n' },
      { dir: '', workspace: 'prod', text: 'init\n' },
      { dir: 'network', workspace: 'default', text: 'done\n' },
      { text: 'last hook\n' },
    ]),
  ).toBe(
    [
      'a hook',
      '==> network <==',
      'init',
      'plan',
      '==> . (prod) <==',
      'init',
      '==> network <==',
      'done',
      '==> the run <==',
      'last hook',
      '',
    ].join('\n'),
  );
});

it('keeps lines whole that chunks of several directories cut', () => {
  const [a, b] = [
    { dir: 'a', workspace: 'default' },
    { dir: 'b', workspace: 'default' },
  ];
  const chunks = [
    { ...a, text: 'one\ntw' },
    { ...b, text: 'un' },
    { ...a, text: 'o\nthr' },
    { ...b, text: 'o\nd' },
  ];
  expect(plain(chunks)).toBe('==> a <==\none\ntwo\n==> b <==\nuno\n==> a <==\nthr\n==> b <==\nd');
});

it('gives no heading the color of the text before it', () => {
  const text = runLogText([
    { dir: 'a', text: '\u001b[31mred\n' },
    { dir: 'b', text: 'plain\n' },
  ]);
  const heading = parseAnsi(text).find((run) => run.text.includes('==> b <=='));
  expect(heading).toEqual({ text: '==> b <==', isBold: true });
});
