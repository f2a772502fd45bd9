/** Names come from other people: what would move the cursor or recolour the terminal is shown as an escape. */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** As `printable`, and on one line. */
export function printableLine(text: string): string {
  return printable(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
}
