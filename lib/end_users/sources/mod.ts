/** Where something is stored of a person, one source after the other. */
import { forgetUser } from "../../errors/mod.ts";
import { userFactsOf, userKeysOf } from "../identity.ts";
import { events, feedback } from "./events.ts";
import { logs } from "./logs.ts";
import { sessionDays, sessions } from "./sessions.ts";
import { type AnySource, source } from "./source.ts";
import { transactions } from "./transactions.ts";

/** Last: what remains is where an identity stands in lists of issues. */
const lists = source<never>({
  name: "lists",
  next: () => Promise.resolve({ rows: [], cursor: null }),
  json: (row) => row,
  async erase({ sql }, projectId, who) {
    return { lists: await forgetUser(sql, projectId, userKeysOf(who), userFactsOf(who)) };
  },
});

/** In the order of the work. */
export const SOURCES: readonly AnySource[] = [
  events,
  transactions,
  feedback,
  sessions,
  sessionDays,
  logs,
  lists,
];
