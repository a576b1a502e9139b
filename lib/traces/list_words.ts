import { type Message, message } from "../core/language/translate.ts";

/** What pages of this room list. */
export type Listed =
  | "transactions"
  | "traces"
  | "endpoints"
  | "requests"
  | "queries"
  | "outbound"
  | "caches"
  | "queues"
  | "calls";

interface ListWords {
  /** How many, by `n`. */
  readonly count: Message;
  /** Of the field to search them. */
  readonly search: Message;
  /** Why there are none: as the search and the scope ask, in the chosen time, ever. */
  readonly noMatch: Message;
  readonly noneNow: Message;
  readonly noneYet: Message;
  /** Of the link to all. */
  readonly showAll: Message;
}

/** What is said of lists, by what they list. */
export const LIST_WORDS: Readonly<Record<Listed, ListWords>> = {
  transactions: {
    count: message("{n} transaction|{n} transactions"),
    search: message("Search transactions"),
    noMatch: message("No transactions match"),
    noneNow: message("No transactions in this time"),
    noneYet: message("No transactions yet"),
    showAll: message("Show all transactions of the last 14 days"),
  },
  traces: {
    count: message("{n} trace|{n} traces"),
    search: message("Search traces"),
    noMatch: message("No traces match"),
    noneNow: message("No traces in this time"),
    noneYet: message("No traces yet"),
    showAll: message("Show all traces of the last 14 days"),
  },
  endpoints: {
    count: message("{n} endpoint|{n} endpoints"),
    search: message("Search endpoints"),
    noMatch: message("No endpoints match"),
    noneNow: message("No endpoints in this time"),
    noneYet: message("No endpoints yet"),
    showAll: message("Show all endpoints of the last 14 days"),
  },
  requests: {
    count: message("{n} request|{n} requests"),
    search: message("Search requests"),
    noMatch: message("No requests match"),
    noneNow: message("No requests in this time"),
    noneYet: message("No requests yet"),
    showAll: message("Show all requests of the last 14 days"),
  },
  queries: {
    count: message("{n} database query|{n} database queries"),
    search: message("Search database queries"),
    noMatch: message("No database queries match"),
    noneNow: message("No database queries in this time"),
    noneYet: message("No database queries yet"),
    showAll: message("Show all database queries of the last 14 days"),
  },
  outbound: {
    count: message("{n} outbound request|{n} outbound requests"),
    search: message("Search outbound requests"),
    noMatch: message("No outbound requests match"),
    noneNow: message("No outbound requests in this time"),
    noneYet: message("No outbound requests yet"),
    showAll: message("Show all outbound requests of the last 14 days"),
  },
  caches: {
    count: message("{n} cache operation|{n} cache operations"),
    search: message("Search cache operations"),
    noMatch: message("No cache operations match"),
    noneNow: message("No cache operations in this time"),
    noneYet: message("No cache operations yet"),
    showAll: message("Show all cache operations of the last 14 days"),
  },
  queues: {
    count: message("{n} queue operation|{n} queue operations"),
    search: message("Search queue operations"),
    noMatch: message("No queue operations match"),
    noneNow: message("No queue operations in this time"),
    noneYet: message("No queue operations yet"),
    showAll: message("Show all queue operations of the last 14 days"),
  },
  calls: {
    count: message("{n} call|{n} calls"),
    search: message("Search calls"),
    noMatch: message("No calls match"),
    noneNow: message("No calls in this time"),
    noneYet: message("No calls yet"),
    showAll: message("Show all calls of the last 14 days"),
  },
};
