import type { Actor } from "../accounts/authorize.ts";

/** Pages that one account has open and that wait for something; each tab is one. */
const MAX_OF_ACCOUNT = 10;
/** Each costs a timer and a few bytes a second. */
const MAX_TOTAL = 500;

/** A place among the streams of server-sent events; given back once, however often `end` is called. */
export interface StreamPlace {
  end(): void;
}

/** How many streams are open, in all and by account. */
export class StreamPlaces {
  readonly #ofAccount = new Map<string, number>();
  #total = 0;

  /** A place for one more stream, or null when there are too many already. */
  take(actor: Actor): StreamPlace | null {
    const account = "user" in actor ? actor.user.id : actor.kind;
    const open = this.#ofAccount.get(account) ?? 0;
    if (open >= MAX_OF_ACCOUNT || this.#total >= MAX_TOTAL) return null;
    this.#total++;
    this.#ofAccount.set(account, open + 1);
    let isOpen = true;
    return {
      end: () => {
        if (isOpen) this.#giveBack(account);
        isOpen = false;
      },
    };
  }

  #giveBack(account: string): void {
    this.#total--;
    const left = (this.#ofAccount.get(account) ?? 1) - 1;
    if (left > 0) this.#ofAccount.set(account, left);
    else this.#ofAccount.delete(account);
  }
}

/** Asks once for all who ask the same within a while. */
export class SharedLooks<T> {
  /** In the order of their time. */
  readonly #looks = new Map<string, { readonly at: number; readonly answer: Promise<T> }>();

  /** @param now milliseconds that never go back */
  constructor(
    private readonly shareMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** What `look` found for this key, now or less than `shareMs` ago. */
  get(key: string, look: () => Promise<T>): Promise<T> {
    const now = this.now();
    for (const [old, { at }] of this.#looks) {
      if (now - at < this.shareMs) break;
      this.#looks.delete(old);
    }
    const shared = this.#looks.get(key);
    if (shared !== undefined) return shared.answer;
    const answer = look();
    this.#looks.set(key, { at: now, answer });
    return answer;
  }
}
