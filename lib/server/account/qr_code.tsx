import { encode } from "uqr";
import { t } from "../../core/language/translate.ts";

/** Modules of quiet around the code: the standard wants four, and cameras do with it. */
const BORDER = 4;

/** A QR code as SVG, made here: no other service sees what is in it. @param text at most some hundred characters */
export function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { ecc: "M", border: BORDER });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => isDark ? [`M${x} ${y}h1v1h-1z`] : [])
  )
    .join("");
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={t("QR code for your authenticator app")}
      shape-rendering="crispEdges"
      class="size-52 max-w-full rounded-md border border-line"
    >
      {/* Cameras want dark on light, also where the page is dark. */}
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
