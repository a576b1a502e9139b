/** What other rooms may use of notifications. */
export { preferencesOf, setPreferences } from "./preferences.ts";
export { PreferencesPage, type PreferencesView, readPreferences } from "./preferences_page.tsx";
export { tellAccount } from "./account_mails.ts";
export { startNotifications } from "./start.ts";
