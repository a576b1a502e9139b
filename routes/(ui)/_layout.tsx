import PageLife from "../../islands/PageLife.tsx";
import { define } from "../../lib/server/define.ts";

/** Every page gets the script that keeps times current and makes copy buttons and menus work. */
export default define.layout(({ Component }) => (
  <>
    <Component />
    <PageLife />
  </>
));
