/** The time zones that people can choose. */

/** IANA names, `UTC` first. */
export const TIME_ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

/** Whether a text names a time zone that `Intl` knows. */
export function isTimeZone(text: string): boolean {
  return TIME_ZONES.includes(text);
}
