/** What it says about the file of its plan would mislead: ours is another one. */
export class ShownText {
  private rest = '';
  private isOver = false;

  constructor(private readonly show: (text: string) => void) {}

  add(part: string): void {
    const lines = (this.rest + part).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(`${line}\n`);
  }

  end(): void {
    if (this.rest !== '') this.line(this.rest);
    this.rest = '';
  }

  private line(text: string): void {
    if (/^\u2500{10,}\s*$/.test(text) || text.startsWith('Saved the plan to:')) this.isOver = true;
    if (!this.isOver) this.show(text);
  }
}
