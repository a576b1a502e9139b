/** Which of a channel's waiting deliveries go out now, in what order, and which as one message. */
import type { WaitingDelivery } from "./delivery_queue.ts";

export type Group = readonly [WaitingDelivery, ...WaitingDelivery[]];

export interface Plan {
  /** Deliveries of one message each, in order. */
  readonly due: readonly Group[];
  /** Due, but behind one of the same incident that is not: they wait for it. */
  readonly heldBack: readonly { readonly deliveryId: string; readonly until: Date }[];
}

/** More than so many at once become one message. */
const JOINED_FROM = 6;
const MAX_JOINED = 50;

/**
 * Plans what to send.
 *
 * @param waiting in the order of their queueing
 * @param options.joins whether the channel takes several notices in one message
 */
export function planMessages(
  waiting: readonly WaitingDelivery[],
  { now, joins }: { readonly now: Date; readonly joins: boolean },
): Plan {
  const blockedUntil = new Map<string, Date>();
  const due: Group[] = [];
  const heldBack: { deliveryId: string; until: Date }[] = [];
  for (const group of groupsOf(waiting)) {
    const blocks = group.flatMap(({ incidentKey }) => blockedUntil.get(incidentKey) ?? []);
    const until = latest([...blocks, ...group.map(({ dueAt }) => dueAt)]);
    if (until <= now) {
      due.push(group);
      continue;
    }
    for (const { incidentKey } of group) blockedUntil.set(incidentKey, until);
    if (blocks.length > 0) heldBack.push(...group.map(({ deliveryId }) => ({ deliveryId, until })));
  }
  return { due: joins ? joinFresh(due) : due, heldBack };
}

/** What is one message already, at the place of its first. */
function groupsOf(waiting: readonly WaitingDelivery[]): Group[] {
  const groups = new Map<string, [WaitingDelivery, ...WaitingDelivery[]]>();
  for (const delivery of waiting) {
    const group = groups.get(delivery.messageId);
    if (group === undefined) groups.set(delivery.messageId, [delivery]);
    else group.push(delivery);
  }
  return [...groups.values()];
}

/** Joins what was never tried; what was may have arrived, and has to look the same again. */
function joinFresh(due: readonly Group[]): Group[] {
  const fresh = due.filter(isFresh).map(([delivery]) => delivery);
  if (fresh.length < JOINED_FROM) return [...due];
  const joined: Group[] = [];
  for (let start = 0; start < fresh.length; start += MAX_JOINED) {
    const [first, ...others] = fresh.slice(start, start + MAX_JOINED);
    if (first !== undefined) joined.push([first, ...others]);
  }
  return [...due.filter((group) => !isFresh(group)), ...joined];
}

function isFresh([first, ...others]: Group): boolean {
  return first.attempts === 0 && others.length === 0;
}

function latest(dates: readonly Date[]): Date {
  return new Date(Math.max(...dates.map((date) => date.getTime())));
}
