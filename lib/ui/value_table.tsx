import { t } from "../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { Icon } from "./components/icon.tsx";
import { NONE } from "./format.ts";
import { asText, prettyJson, visible } from "./json.ts";

/** The longest text of one value; the table says how much is left out. */
export const MAX_VALUE_LENGTH = 2_000;

type Entries = readonly (readonly [name: string, value: unknown])[];

export interface ValueTableProps {
  readonly entries: Entries;
  readonly label: string;
  /** Where what has that value is listed; null where it cannot be searched for. */
  readonly linkTo?: (name: string, value: unknown) => string | null;
}

/** Names and values of anything an event holds; long values are cut, and say so. */
export function ValueTable({ entries, label, linkTo = () => null }: ValueTableProps) {
  return (
    <table class="w-full table-fixed text-sm" aria-label={label}>
      <tbody>
        {entries.map(([name, value], index) => (
          <tr key={index} class="border-b border-line align-top last:border-b-0">
            <th
              scope="row"
              class="w-1/3 py-1 pr-3 text-left font-normal wrap-anywhere text-muted"
            >
              {name === "" ? t("(empty)") : name}
            </th>
            <td class="py-1">
              <Linked href={linkTo(name, value)} name={name} value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface LinkedProps {
  readonly href: string | null;
  readonly name: string;
  readonly value: unknown;
}

function Linked({ href, name, value }: LinkedProps) {
  if (href === null) return <Value value={value} />;
  return (
    <a class="link block" href={href} title={t("Others with this {name}", { name })}>
      <Value value={value} />
    </a>
  );
}

/** One value: text as it is, everything else as JSON, nothing as a dash. */
export function Value({ value }: { readonly value: unknown }) {
  const text = readable(value);
  if (text.trim() === "") return <span class="text-faint">{NONE}</span>;
  return (
    <span class="block font-mono whitespace-pre-wrap wrap-anywhere" dir="auto">
      <CutText text={text} max={MAX_VALUE_LENGTH} />
    </span>
  );
}

/** The beginning of a text, and how much of it is left out. */
export function CutText({ text, max }: { readonly text: string; readonly max: number }) {
  return (
    <>
      {text.slice(0, max)}
      {text.length > max && (
        <span class="text-muted">
          {`… ${t("{n} more character|{n} more characters", { n: text.length - max })}`}
        </span>
      )}
    </>
  );
}

function readable(value: unknown): string {
  return typeof value === "object" && value !== null ? visible(prettyJson(value)) : asText(value);
}

interface FoldedProps {
  readonly title: string;
  /** @default false */
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a panel behind its title. */
export function Folded({ title, isOpen = false, children }: FoldedProps) {
  return (
    <details open={isOpen} class="group/folded">
      <summary class="inline-flex items-center gap-1 text-sm font-medium hover:underline">
        <Icon
          name="chevron-right"
          size={12}
          class="text-muted transition-transform group-open/folded:rotate-90"
        />
        {title}
      </summary>
      <div class="mt-1">{children}</div>
    </details>
  );
}

/**
 * An address from an event: a link when it is http(s), text otherwise, since `javascript:` and the like
 * come from strangers. The other side learns nothing of where the click came from.
 */
export function SafeLink({ href }: { readonly href: string }) {
  if (!/^https?:\/\/\S+$/i.test(href)) return <bdi>{href}</bdi>;
  return (
    <a class="hover:underline" href={href} rel="noopener noreferrer nofollow" target="_blank">
      <bdi>{href}</bdi>
    </a>
  );
}
