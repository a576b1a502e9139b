/** What priorities are called. */
import { type Message, message } from "../../core/language/translate.ts";
import type { Priority } from "./state.ts";

interface PriorityWords {
  /** By itself, as on a badge. */
  readonly word: Message;
  /** As a choice. */
  readonly label: Message;
  /** What the badge says in full. */
  readonly title: Message;
}

export const PRIORITY_WORDS: Readonly<Record<Priority, PriorityWords>> = {
  high: {
    word: message("high@@priority"),
    label: message("High priority"),
    title: message("Priority high"),
  },
  medium: {
    word: message("medium@@priority"),
    label: message("Medium priority"),
    title: message("Priority medium"),
  },
  low: {
    word: message("low@@priority"),
    label: message("Low priority"),
    title: message("Priority low"),
  },
};
