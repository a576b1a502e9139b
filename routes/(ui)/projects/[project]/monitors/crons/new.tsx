export { default, handler } from "./[cron]/edit.tsx";
