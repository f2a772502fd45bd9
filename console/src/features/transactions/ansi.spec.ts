import fc from 'fast-check';
import { parseAnsi } from './ansi';

it('keeps colors and bold, and drops everything else', () => {
  expect(parseAnsi('\u001b[1m\u001b[31mError\u001b[0m: no\u001b[2J\r\n')).toEqual([
    { text: 'Error', isBold: true, color: 1 },
    { text: ': no' },
    { text: '\n' },
  ]);
});

it('makes no link of a terminal link', () => {
  const runs = parseAnsi('\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007');
  expect(runs).toEqual([{ text: 'click' }]);
});

it('leaves no control character but tabs and line breaks, whatever it is given', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('\u001b[', '\u001b]8;;x', '\u001b', '\u009b1m', '\u0007', '31m'),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = parseAnsi(pieces.join(''))
        .map((run) => run.text)
        .join('');
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
});
