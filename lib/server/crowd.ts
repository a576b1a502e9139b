import ipaddr from "ipaddr.js";

/** How long a connection may be in each state before it is closed. */
export const STATE_LIMITS_MS = {
  /** Accepted, and the head of its first request is not here yet. */
  new: 10_000,
  /** Between two requests, until the whole head of the next. */
  idle: 60_000,
  /** A request is being answered. Streams end by themselves after five minutes. */
  busy: 15 * 60_000,
} as const;

type State = keyof typeof STATE_LIMITS_MS;

/** How many connections there may be. */
export interface CrowdLimits {
  readonly total: number;
  readonly perAddress: number;
}

/** A third is left to stores, which open a file for some of the requests that are being answered. */
const SHARE_OF_FILES = 2 / 3;
/** An idle connection takes about 10 KB. */
const MAX_TOTAL = 16_000;
const MIN_TOTAL = 50;
/** Enough for an office behind one address, or a load generator; three more such can be served beside it. */
const SHARE_OF_ADDRESS = 1 / 4;

/**
 * How many connections a process takes that may open so many files.
 *
 * @param files open files that the process may have
 * @param isProxied whether all connections come from one proxy, so that addresses tell nothing
 * @param processes how many listeners share the files
 */
export function crowdLimits(files: number, isProxied: boolean, processes = 1): CrowdLimits {
  const share = Math.floor(files * SHARE_OF_FILES / processes);
  const total = Math.max(MIN_TOTAL, Math.min(MAX_TOTAL, share));
  return { total, perAddress: isProxied ? total : Math.ceil(total * SHARE_OF_ADDRESS) };
}

/** A connection among others. */
export interface Member {
  readonly address: string;
  state: State;
  since: number;
  requests: number;
  readonly close: () => void;
}

/**
 * The connections of a server: how many, from where, and how long each has been doing what it does. Where there is no
 * room, the one that has rested longest goes.
 */
export class Crowd {
  /** By state, each in the order in which they came into it. */
  readonly #members = { new: new Set<Member>(), idle: new Set<Member>(), busy: new Set<Member>() };
  readonly #addresses = new Map<string, Set<Member>>();

  constructor(private readonly limits: CrowdLimits, private readonly now: () => number) {}

  get size(): number {
    const { new: fresh, idle, busy } = this.#members;
    return fresh.size + idle.size + busy.size;
  }

  /** Whether one more can be admitted, if need be in place of one that rests. */
  get hasRoom(): boolean {
    return this.#members.busy.size < this.limits.total;
  }

  /**
   * Takes a connection in.
   *
   * @param close ends the connection; called at most once
   * @returns null when all that its address may have are busy, or all that there may be
   */
  admit(remote: string, close: () => void): Member | null {
    const address = networkOf(remote);
    const neighbours = this.#addresses.get(address);
    if (neighbours !== undefined && neighbours.size >= this.limits.perAddress) {
      if (!this.#closeFirst(neighbours)) return null;
    } else if (this.size >= this.limits.total && !this.closeOneResting()) return null;
    const member: Member = { address, state: "new", since: this.now(), requests: 0, close };
    this.#members.new.add(member);
    this.#neighbours(address).add(member);
    return member;
  }

  /** A request of this connection is here. */
  begin(member: Member): void {
    if (member.requests++ === 0) this.#enter(member, "busy");
  }

  /** A request of this connection is answered. */
  end(member: Member): void {
    if (--member.requests === 0) this.#enter(member, "idle");
  }

  /** Forgets a connection that ended. */
  leave(member: Member): void {
    this.#members[member.state].delete(member);
    const neighbours = this.#addresses.get(member.address);
    neighbours?.delete(member);
    if (neighbours?.size === 0) this.#addresses.delete(member.address);
  }

  /** Closes what has been in its state for too long. */
  closeLate(): void {
    const now = this.now();
    for (const [state, limitMs] of Object.entries(STATE_LIMITS_MS)) {
      for (const member of this.#members[state as State]) {
        if (now - member.since < limitMs) break;
        this.#close(member);
      }
    }
  }

  /** Closes the one that has rested longest. @returns false when all are busy */
  closeOneResting(): boolean {
    const [fresh] = this.#members.new;
    const [idle] = this.#members.idle;
    const longest = fresh !== undefined && (idle === undefined || fresh.since < idle.since)
      ? fresh
      : idle;
    if (longest === undefined) return false;
    this.#close(longest);
    return true;
  }

  /** Everybody who has no request. */
  resting(): Member[] {
    return [...this.#members.new, ...this.#members.idle];
  }

  /** Of one address: those are in the order of their last change, so the first that rests has rested longest. */
  #closeFirst(neighbours: ReadonlySet<Member>): boolean {
    for (const member of neighbours) {
      if (member.state === "busy") continue;
      this.#close(member);
      return true;
    }
    return false;
  }

  #close(member: Member): void {
    this.leave(member);
    member.close();
  }

  #enter(member: Member, state: State): void {
    // One that was closed meanwhile stays out.
    if (!this.#members[member.state].delete(member)) return;
    member.state = state;
    member.since = this.now();
    this.#members[state].add(member);
    const neighbours = this.#neighbours(member.address);
    neighbours.delete(member);
    neighbours.add(member);
  }

  #neighbours(address: string): Set<Member> {
    let neighbours = this.#addresses.get(address);
    if (neighbours === undefined) this.#addresses.set(address, neighbours = new Set());
    return neighbours;
  }
}

/** Whoever has an IPv6 address has 2⁶⁴ of them. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const parsed = ipaddr.process(address);
  return "parts" in parsed ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}
