/** A piece of a file and the line that it belongs at; undefined: anywhere. */
export interface PlacedPiece {
  startLine: number | undefined;
  text: string;
  /** one argument of a `locals` block */
  isLocal: boolean;
}

/** A file with every piece at its line, as far as the pieces before it leave room. */
export function placedLines(pieces: readonly PlacedPiece[]): string {
  const file = new PlacedFile();
  const last = Number.MAX_SAFE_INTEGER;
  for (const piece of pieces.toSorted((a, b) => (a.startLine ?? last) - (b.startLine ?? last)))
    file.add(piece);
  return file.end();
}

class PlacedFile {
  private text = '';
  private line = 1;
  private isInLocals = false;

  add({ startLine = 0, text, isLocal }: PlacedPiece): void {
    if (isLocal && !this.isInLocals) {
      this.padTo(startLine - 1);
      this.write('locals {');
    }
    if (!isLocal && this.isInLocals) this.write('}');
    this.isInLocals = isLocal;
    this.padTo(startLine);
    this.write(text);
  }

  end(): string {
    if (this.isInLocals) this.write('}');
    this.isInLocals = false;
    return this.text;
  }

  private padTo(line: number): void {
    while (this.line < line) this.write('');
  }

  private write(text: string): void {
    this.text += `${text}\n`;
    this.line += text.split('\n').length;
  }
}
