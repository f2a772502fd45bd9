/** Names and sentences of others within a text of ours: they mention nobody, and leave neither their line nor their code. */

/** Without escape codes and control characters. */
export function plainText(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- escape sequences of terminals
      .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(\u0007|\u001b\\)|\u001b[@-_]/g, '')
      .replace(/\r\n?/g, '\n')
      // oxlint-disable-next-line no-control-regex -- what no page shows
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
  );
}

/** Shows `&commat;` as it is written: rendered, the character that it stands for would mention somebody. */
export function withoutEntities(text: string): string {
  return text.replace(/&(?=[#\w])/g, '&amp;');
}

/** For a text within a line that is no code. */
export function inlineText(text: string): string {
  return withoutEntities(plainText(text))
    .replace(/\n+/g, ' ')
    .replace(/[\\`*_{}[\]<>|~]/g, (character) => `\\${character}`)
    .replace(/([@#])(?=\w)/g, '$1\u200b')
    .slice(0, 1000);
}

/** For a text within single backticks. */
export function inlineCode(text: string): string {
  return plainText(text).replace(/\n+/g, ' ').replace(/`/g, "'").replace(/\|/g, '\\|').slice(0, 500);
}
