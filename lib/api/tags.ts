/** The nouns by which the document of the API and its page are ordered. */
export const TAGS = {
  "API": "What answers here, and who asks.",
  "Organizations": "Who owns projects; people are its members.",
  "Projects": "What sends under one set of keys.",
  "Keys": "What clients show to send; the DSN is a key with its address.",
  "Teams": "Whom issues can be assigned to. Teams give nobody a right.",
  "Members": "The people of an organization, and who was invited.",
  "Audit log": "Who changed what, when and from where.",
  "End users": "What is stored of the people who use your programs: found, exported, deleted.",
  "Issues": "Events that belong together: their status, who works on them, what belongs to them.",
  "Events": "Single errors and messages, as they came.",
  "Issue links": "Issues of trackers elsewhere that an issue is linked to.",
  "Code": "Where a project's code is kept, so that stack frames lead to its lines.",
  "Ownership": "Who owns the code that errors come from: rules, and the CODEOWNERS file.",
  "Releases": "Versions of programs with their commits and deploys.",
  "Source maps": "Uploads that turn minified stacks into lines of the source.",
  "Explore": "Tables and series of what is stored, across projects.",
  "Traces": "Requests through all programs: traces, transactions, endpoints, web vitals.",
  "Profiles": "Stored profiles, flame graphs and functions.",
  "Metrics": "Metrics with their labels, and queries of them.",
  "Dashboards": "Panels that people arrange, as documents.",
  "Alerts": "What is watched, and how it stands.",
  "Channels": "Where notices go, and what became of them.",
  "Cron jobs": "Monitors of jobs that report their runs.",
  "Uptime": "Monitors of pages that are fetched from here.",
} as const;

export type Tag = keyof typeof TAGS;
