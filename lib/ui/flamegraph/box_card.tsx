import { Icon } from "../components/icon.tsx";
import { formatQuantity } from "../format.ts";
import type { BoxFacts } from "./words.ts";

/** Where a card stands: beside the pointer, or, on phones, as a bar at the bottom of the window. */
export type CardPlace =
  | { readonly kind: "hover"; readonly node: number; readonly x: number; readonly y: number }
  | { readonly kind: "bar"; readonly node: number };

export interface BoxCardProps {
  readonly facts: BoxFacts;
  readonly place: CardPlace;
  readonly onZoom: () => void;
  readonly onMenu: (x: number, y: number) => void;
  readonly onClose: () => void;
}

/** All figures of the box under the pointer, or of the one that was tapped. */
export function BoxCard({ facts, place, onZoom, onMenu, onClose }: BoxCardProps) {
  if (place.kind === "hover") {
    return (
      // What screen readers are to know of a box, the live text says.
      <div class="flame-card" style={beside(place.x, place.y)} aria-hidden="true">
        <Facts facts={facts} />
      </div>
    );
  }
  return (
    <div class="flame-bar" role="region" aria-label="Chosen box">
      <Facts facts={facts} />
      <div class="mt-2 flex flex-wrap gap-2">
        <button type="button" class="flame-tool" onClick={onZoom}>Zoom to it</button>
        <button
          type="button"
          class="flame-tool"
          onClick={({ clientX, clientY }) => onMenu(clientX, clientY)}
        >
          More…
        </button>
        <button type="button" class="flame-tool" onClick={onClose}>
          <Icon name="close" size={14} />Close
        </button>
      </div>
    </div>
  );
}

function Facts({ facts: { name, place, module, figures, cut } }: { readonly facts: BoxFacts }) {
  return (
    <>
      <p class="font-mono text-sm font-semibold wrap-anywhere">
        <bdi>{name}</bdi>
      </p>
      {place !== "" && (
        <p class="text-meta text-muted wrap-anywhere">
          <bdi>{place}</bdi>
        </p>
      )}
      {module !== "" && (
        <p class="text-meta text-muted wrap-anywhere">
          <bdi>{module}</bdi>
        </p>
      )}
      <dl class="flame-figures">
        {figures.map(({ label, value, shares }) => (
          <div key={label} class="contents">
            <dt class="text-muted">{label}</dt>
            <dd class="text-right font-medium">{value}</dd>
            <dd class="text-muted">{shares}</dd>
          </div>
        ))}
      </dl>
      {cut > 0 && (
        <p class="text-meta text-muted">
          {`Zooming in brings ${formatQuantity(cut, "smaller box", "smaller boxes")} below it.`}
        </p>
      )}
    </>
  );
}

const GAP_PX = 14;

/** On the side of the pointer that has more room. */
export function beside(x: number, y: number): Record<string, string> {
  const isRight = x > innerWidth / 2;
  const isLow = y > innerHeight / 2;
  return {
    [isRight ? "right" : "left"]: `${(isRight ? innerWidth - x : x) + GAP_PX}px`,
    [isLow ? "bottom" : "top"]: `${(isLow ? innerHeight - y : y) + GAP_PX}px`,
  };
}
