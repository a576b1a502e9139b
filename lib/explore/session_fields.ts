/** What can be asked of sessions, by the names that Sentry's clients use. */

/** Figures of a group at a time; of sessions or of the people who had them. */
export interface SessionFigures {
  readonly all: number;
  readonly crashed: number;
  readonly errored: number;
  readonly abnormal: number;
}

export interface SessionField {
  readonly of: "sessions" | "users";
  /** Null: nothing happened of which there were a share. */
  readonly value: (figures: SessionFigures) => number | null;
}

const healthy = ({ all, crashed, errored, abnormal }: SessionFigures) =>
  Math.max(0, all - crashed - errored - abnormal);
const crashRate = ({ all, crashed }: SessionFigures) => all === 0 ? null : crashed / all;
const crashFree = (figures: SessionFigures) => {
  const rate = crashRate(figures);
  return rate === null ? null : 1 - rate;
};

const VALUES = {
  all: ({ all }) => all,
  crashed: ({ crashed }) => crashed,
  errored: ({ errored }) => errored,
  abnormal: ({ abnormal }) => abnormal,
  healthy,
  crash_rate: crashRate,
  crash_free_rate: crashFree,
} as const satisfies Record<string, SessionField["value"]>;

/** Statuses that sessions are grouped by, and with what there is of them. */
export const STATUS_VALUES = {
  healthy: VALUES.healthy,
  errored: VALUES.errored,
  abnormal: VALUES.abnormal,
  crashed: VALUES.crashed,
} as const;

const FIELDS: ReadonlyMap<string, SessionField> = new Map<string, SessionField>([
  ["sum(session)", { of: "sessions", value: VALUES.all }],
  ["count_unique(user)", { of: "users", value: VALUES.all }],
  ...(["crash_rate", "crash_free_rate"] as const).flatMap((name) => [
    [`${name}(session)`, { of: "sessions", value: VALUES[name] }] as const,
    [`${name}(user)`, { of: "users", value: VALUES[name] }] as const,
  ]),
  ...(["all", "crashed", "errored", "abnormal", "healthy"] as const).flatMap((name) => [
    [`session.${name}`, { of: "sessions", value: VALUES[name] }] as const,
    [`session.${name}_user`, { of: "users", value: VALUES[name] }] as const,
  ]),
  ["session.crash_free_rate", { of: "sessions", value: VALUES.crash_free_rate }],
  ["session.crash_free_user_rate", { of: "users", value: VALUES.crash_free_rate }],
]);

export const SESSION_FIELDS: readonly string[] = [...FIELDS.keys()];

export function sessionField(name: string): SessionField | null {
  return FIELDS.get(name) ?? null;
}
