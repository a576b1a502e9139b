/** What other rooms may use of dashboards. */
export { createDashboard, findDashboard, listDashboards } from "./dashboards.ts";
export { fromDocument, toDocument } from "./document.ts";
