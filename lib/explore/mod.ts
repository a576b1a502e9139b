/** What other rooms may use of the questions across projects. */
export { eventsMatching } from "./filter.ts";
