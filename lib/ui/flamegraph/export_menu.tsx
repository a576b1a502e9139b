import { Icon } from "../components/icon.tsx";
import { Menu, MENU_ITEM_LOOK } from "../components/menu.tsx";
import type { ExportLink } from "./settings.ts";

export interface ExportMenuProps {
  readonly links: readonly ExportLink[];
  /** Saves what is drawn as a picture; only script can. */
  readonly onPng?: () => void;
}

/** Downloads of the graph. */
export function ExportMenu({ links, onPng }: ExportMenuProps) {
  if (links.length === 0 && onPng === undefined) return null;
  return (
    <Menu
      align="right"
      buttonClass="flame-tool"
      button={
        <>
          Export<Icon name="chevron-down" size={14} />
        </>
      }
    >
      <ul>
        {links.map(({ label, href }) => (
          <li key={label}>
            <a href={href} download="" class={MENU_ITEM_LOOK}>{label}</a>
          </li>
        ))}
        {onPng && (
          <li>
            <button type="button" class={MENU_ITEM_LOOK} onClick={onPng}>Picture (PNG)</button>
          </li>
        )}
      </ul>
    </Menu>
  );
}
