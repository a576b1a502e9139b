/** Says how far sending has come: on a terminal in one line that changes, elsewhere in a line for each tenth. */
export class Progress {
  readonly #begun: number;
  #done = 0;
  #said = 0;

  /**
   * @param total how many there are to do
   * @param write what takes the text, as `Deno.stdout` does
   * @param isTerminal whether a line can be written over
   * @param now in milliseconds
   */
  constructor(
    readonly total: number,
    readonly write: (text: string) => void,
    readonly isTerminal: boolean,
    readonly now: () => number = Date.now,
  ) {
    this.#begun = now();
  }

  /** One more is done. */
  step(): void {
    this.#done++;
    const parts = this.isTerminal ? 100 : 10;
    const reached = Math.floor(this.#done * parts / this.total);
    if (reached === this.#said) return;
    this.#said = reached;
    const line = `${this.#done.toLocaleString("en")} of ${this.total.toLocaleString("en")}${
      this.#done < this.total ? `, about ${this.#left()} left` : ""
    }`;
    const isLast = this.#done === this.total;
    this.write(this.isTerminal ? `\r\x1b[K${line}${isLast ? "\n" : ""}` : `${line}\n`);
  }

  #left(): string {
    const seconds = Math.ceil(
      (this.now() - this.#begun) / 1000 / this.#done * (this.total - this.#done),
    );
    return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  }
}
