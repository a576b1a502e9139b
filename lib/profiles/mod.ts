/** What other nouns may use of profiles. Browsers take `profile_part.ts` and `words.ts` by themselves. */
export { type EmbeddedProfile, findEmbedded } from "./profile/load_profile.ts";
export type { ProfileStores } from "./profile/read_part.ts";
export { type LinkedProfile, readTraceProfiles } from "./queries/trace_profiles.ts";
export type { Waited } from "./selection.ts";
export { type TransactionCode, TransactionCodePanel } from "./transaction_code.tsx";
