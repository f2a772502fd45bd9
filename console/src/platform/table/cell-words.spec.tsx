import { wordsIn } from './cell-words';

it.each([
  ['open', 'one'],
  [7, 'one'],
  [<bdi key="name">Ada</bdi>, 'one'],
  ['administrator beyond this tenant', 'some'],
  [<bdi key="name">Ada Lovelace</bdi>, 'some'],
  ['a'.repeat(20), 'one'],
  ['a'.repeat(21), undefined],
  [`short ${'a'.repeat(21)}`, undefined],
  [<b key="link">open</b>, undefined],
  [undefined, undefined],
  [null, undefined],
])('%p is %p words', (content, expected) => {
  expect(wordsIn(content)).toBe(expected);
});
