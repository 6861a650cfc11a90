/** Where the cursor stands in a list of pictures, and which are selected. Rows are what is selected, places where they stand. */
export class Choice {
  cursor = $state(0);
  selection = $state.raw<ReadonlySet<number>>(new Set());
  #anchor = 0;

  /** To a place; extended, all from where it began are selected. A click elsewhere gives the selection up. */
  move(rows: readonly number[], index: number, extend: boolean, how: 'key' | 'click' | 'toggle' = 'key'): void {
    this.cursor = index;
    if (extend) {
      this.select(rows.slice(Math.min(this.#anchor, index), Math.max(this.#anchor, index) + 1));
      return;
    }
    this.#anchor = index;
    if (how === 'click') this.select([]);
    if (how === 'toggle') this.toggle(rows[index]);
  }

  goTo(index: number): void {
    this.cursor = index;
    this.#anchor = index;
  }

  toggle(row: number): void {
    const next = new Set(this.selection);
    if (!next.delete(row)) next.add(row);
    this.selection = next;
  }

  select(rows: Iterable<number>): void {
    this.selection = new Set(rows);
  }

  /** At the first place of another list, with nothing selected. */
  begin(): void {
    this.goTo(0);
    this.select([]);
  }
}
