/** A calendar month in UTC. */
export interface Month {
  /** `2026-11` */
  readonly name: string;
  readonly start: Date;
  /** The beginning of the next one. */
  readonly end: Date;
  /** `YYYY-MM-DD`, all of them. */
  readonly days: readonly string[];
}

/** The month of a name such as `2026-11`; that of `now` for anything else, and for months to come. */
export function monthOf(name: string | null, now: Date = new Date()): Month {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(name ?? "");
  const current = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const wanted = match === null ? current : Date.UTC(Number(match[1]), Number(match[2]) - 1);
  const start = new Date(wanted > current || wanted < 0 ? current : wanted);
  const end = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
  const days: string[] = [];
  for (let time = start.getTime(); time < end.getTime(); time += 86_400_000) {
    days.push(new Date(time).toISOString().slice(0, 10));
  }
  return { name: start.toISOString().slice(0, 7), start, end, days };
}

/** The name of the month before or after. */
export function neighbour({ start }: Month, step: -1 | 1): string {
  const date = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + step));
  return date.toISOString().slice(0, 7);
}
