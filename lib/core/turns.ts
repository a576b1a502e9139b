/** Others get their turn after so long. */
const TURN_MS = 12;

/** Long work in pieces, between which others are served. */
export class Turns {
  #turn = performance.now();

  /** Lets others have their turn when this one has lasted long enough. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#turn < TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#turn = performance.now();
  }
}
