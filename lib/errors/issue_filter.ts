import type { IssueStatus } from "./issue_status.ts";

/** One condition of a search, all of which must hold. */
export type IssueTerm =
  | {
    readonly kind: "column";
    readonly column: "level" | "platform" | "type";
    readonly value: string;
  }
  | {
    readonly kind: "release";
    readonly column: "first_release" | "last_release";
    readonly value: string;
  }
  /** `value` may hold `*` for any characters; null asks for any value at all. */
  | { readonly kind: "tag"; readonly key: string; readonly value: string | null }
  /**
   * The issue happened to a user, as `id:7`, `email:a@b.c`, or `a@b.c` for any kind of name; `*` stands for any characters.
   */
  | { readonly kind: "user"; readonly value: string }
  /** Some event of the issue belongs to the trace: 32 lower-case hex digits. */
  | { readonly kind: "trace"; readonly traceId: string }
  /** An exception of the issue; `*` stands for any characters, null asks for any at all. */
  | { readonly kind: "error"; readonly field: "type" | "value"; readonly value: string | null }
  | { readonly kind: "regressed" }
  | {
    readonly kind: "time";
    readonly column: "first_seen" | "last_seen";
    readonly after: boolean;
    readonly at: Date;
  }
  | {
    readonly kind: "count";
    readonly column: "times_seen" | "users_seen";
    readonly operator: CountOperator;
    readonly value: number;
  };

export type CountOperator = ">" | ">=" | "<" | "<=" | "=";

/** What the search box asks for, understood. */
export interface IssueFilter {
  /** Each must occur in the title, the culprit or the message, in either case. */
  readonly text: readonly string[];
  readonly terms: readonly (IssueTerm & { readonly negated: boolean })[];
}

/** A part of a search that is not understood. */
export interface SearchProblem {
  /** As typed. */
  readonly part: string;
  readonly reason: string;
}

export interface IssueSearch {
  readonly filter: IssueFilter;
  /** What `is:` asks for; absent when the search leaves the status open. */
  readonly statuses?: readonly IssueStatus[];
  readonly problems: readonly SearchProblem[];
}
