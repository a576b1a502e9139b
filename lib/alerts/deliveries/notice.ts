/** What goes out through a channel: made by alerts, worded by each kind of channel. */

export type NoticeState = "firing" | "resolved" | "no_data" | "test";
export type Severity = "critical" | "warning" | "info";

export interface Notice {
  readonly projectId: string;
  readonly projectName: string;
  readonly state: NoticeState;
  readonly severity: Severity;
  /** One line: what is wrong, as "p95 of GET /cart is 1.32 s". */
  readonly title: string;
  /** A sentence or a few; plain text. */
  readonly text: string;
  /** Absolute address of what to look at: the issue, or the explorer at that time. */
  readonly url: string;
  /** Address of the alert rule, or null. */
  readonly ruleUrl: string | null;
  readonly ruleName: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** The same for everything about one incident, as PagerDuty wants: firing and resolved have one key. */
  readonly incidentKey: string;
  readonly occurredAt: Date;
}
