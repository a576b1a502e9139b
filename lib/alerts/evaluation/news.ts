import type { GroupState, Told } from "../group_state.ts";
import type { AlertRule } from "../rule.ts";
import type { Notice } from "../deliveries/notice.ts";

/** The project that notices are about, and where it is found. */
export interface NoticePlace {
  readonly projectName: string;
  /** As in the settings, without a slash at its end. */
  readonly baseUrl: string;
}

/** What a notice tells of. */
export interface News {
  readonly state: GroupState;
  readonly told: Told;
  /** What the group is called, or `""`. */
  readonly words: string;
  readonly at: Date;
  /** The rule was switched off or deleted. */
  readonly isEnded: boolean;
}

/** Words what channels hear of a group of a rule. Handed in: words and addresses are those of the pages. */
export type NoticeWording = (rule: AlertRule, place: NoticePlace, news: News) => Notice;
