/** What other rooms may use of alerts: channels, notices on their way, times of the week. */
export { type Channel, isChannelId, listChannels } from "./channels/channels.ts";
export { type Mail, MailFailure, sendMail } from "./channels/email.ts";
export { letterOf } from "./channels/letter.ts";
export type { Notice } from "./channels/message.ts";
export { checkAlert, isOfIssues, isTimeZone } from "./check_input.ts";
export { enqueueNotice } from "./deliveries/queue.ts";
export { inSchedule } from "./evaluation/group_states.ts";
export {
  ALERT_LEVELS,
  ALERT_STATUSES,
  endPastHistory,
  keepPastHistory,
  NOTICE_OUTCOMES,
} from "./past_history.ts";
export type { AlertTransition } from "./rule.ts";
export { createRule, inputOf, listRules, pinMetrics, TooManyRules } from "./rules.ts";
export { clockText, scheduleWords } from "./words.ts";
