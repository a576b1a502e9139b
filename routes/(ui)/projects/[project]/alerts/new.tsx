export { default, handler } from "./[alert]/edit.tsx";
