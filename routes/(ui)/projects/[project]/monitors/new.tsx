export { default, handler } from "./[monitor]/edit.tsx";
