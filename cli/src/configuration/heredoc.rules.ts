/** One piece of a heredoc: a line or the rest of one, or a sequence. */
export interface HeredocPiece {
  isText: boolean;
  text: string;
}

/**
 * What `<<-` does: the smallest indentation of all lines is taken off each. A line of nothing but white space does not
 * count and keeps what it has; a line that begins with a sequence has no indentation.
 */
export function withoutIndentation(pieces: readonly HeredocPiece[]): HeredocPiece[] {
  const begins = new Set<number>();
  let least = Infinity;
  let isLineStart = true;
  for (const [index, piece] of pieces.entries()) {
    if (isLineStart) {
      const width = piece.isText ? indentation(piece.text) : 0;
      if (width !== undefined) {
        if (piece.isText) begins.add(index);
        least = Math.min(least, width);
      }
    }
    isLineStart = piece.isText && piece.text.endsWith('\n');
  }
  return pieces.map((piece, index) =>
    begins.has(index) ? { ...piece, text: piece.text.slice(least) } : piece,
  );
}

/** Undefined for a blank line. */
function indentation(line: string): number | undefined {
  const rest = line.trimStart();
  if (rest === '' && line.endsWith('\n')) return undefined;
  return line.length - rest.length;
}
