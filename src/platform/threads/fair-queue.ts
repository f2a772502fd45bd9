/** A queue in which groups take turns: who queues much waits behind their own, not others behind them. */
export class FairQueue<T extends { group: string }> {
  /** in the order of their turns; a group without items is not in it */
  private readonly groups = new Map<string, T[]>();

  push(item: T): void {
    const own = this.groups.get(item.group);
    if (own) own.push(item);
    else this.groups.set(item.group, [item]);
  }

  /** The next item of the group whose turn it is; groups that may not go on keep their place. */
  shift(mayGoOn: (group: string) => boolean = () => true): T | undefined {
    for (const [group, items] of this.groups) {
      if (!mayGoOn(group)) continue;
      const item = items.shift();
      this.groups.delete(group);
      if (items.length > 0) this.groups.set(group, items);
      return item;
    }
    return undefined;
  }

  /** Takes out every item that fits. */
  remove(fits: (item: T) => boolean): T[] {
    const removed: T[] = [];
    for (const [group, items] of this.groups) {
      removed.push(...items.filter(fits));
      const left = items.filter((item) => !fits(item));
      if (left.length > 0) this.groups.set(group, left);
      else this.groups.delete(group);
    }
    return removed;
  }

  get length(): number {
    let length = 0;
    for (const items of this.groups.values()) length += items.length;
    return length;
  }
}
