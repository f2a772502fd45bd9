export interface Counts {
  add: number;
  change: number;
  destroy: number;
}

export const NO_CHANGES: Counts = { add: 0, change: 0, destroy: 0 };

const SUMMARY = /^Plan: (?:\d+ to import, )?(\d+) to add, (\d+) to change, (\d+) to destroy/;
const MAX_LINE_LENGTH = 200;

/**
 * Reads the counts of a plan from what Terraform prints, however long that is: the JSON of a plan holds every value of it
 * and more. Only lines that begin with the summary count, and values of resources are always indented.
 */
export class PlanCounts {
  private line = '';
  private found: Counts | undefined;

  write(text: string): void {
    const lines = text.split('\n');
    for (const [n, part] of lines.entries()) {
      if (n > 0) this.endLine();
      if (this.line.length < MAX_LINE_LENGTH) this.line += part.slice(0, MAX_LINE_LENGTH);
    }
  }

  /** Undefined when no summary was printed. */
  end(): Counts | undefined {
    this.endLine();
    return this.found;
  }

  private endLine(): void {
    const [, add, change, destroy] = SUMMARY.exec(this.line) ?? [];
    if (add !== undefined)
      this.found = { add: Number(add), change: Number(change), destroy: Number(destroy) };
    this.line = '';
  }
}

/** Of the JSON of a plan, as `terraform show -json` prints it. */
export function countsIn(json: string): Counts {
  const { resource_changes: changes = [] } = JSON.parse(json) as {
    resource_changes?: { change: { actions: string[] } }[];
  };
  const count = (action: string) => changes.filter(({ change }) => change.actions.includes(action)).length;
  return { add: count('create'), change: count('update'), destroy: count('delete') };
}

/** The part of what Terraform prints of a plan that people read. */
export function shownPlan(stdout: string): string {
  const start = stdout.search(
    /^(Terraform|OpenTofu) will perform|^Terraform used the selected|^OpenTofu used the selected|^No changes/m,
  );
  const end = stdout.search(/^─{5,}/m);
  return stdout.slice(Math.max(start, 0), end > start ? end : undefined).trim();
}
