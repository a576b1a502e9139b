export { startEndUserJobs } from "./work.ts";
