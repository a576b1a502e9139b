/** Colours that people choose for their page, and what must become of them so that text stays readable. */

/** As `#1a2b3c`. */
export type Colour = string;

/** Of large text and of all other: WCAG 2.2, 1.4.3 level AA. */
const LEAST_CONTRAST = 4.5;
const STEPS = 20;

/** The colour in lower case, or null for everything that is not exactly `#` and six hex digits. */
export function readColour(text: string): Colour | null {
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : null;
}

/** Black or white, whichever is read more easily on a colour. */
export function inkOn(background: Colour): Colour {
  return contrast("#ffffff", background) >= contrast("#000000", background) ? "#ffffff" : "#000000";
}

/** The colour, made darker or lighter until it can be read as text on a background. */
export function readableOn(background: Colour, colour: Colour): Colour {
  const end = inkOn(background);
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(colour, end, step / STEPS);
    if (contrast(mixed, background) >= LEAST_CONTRAST) return mixed;
  }
  return end;
}

/** Contrast of two colours, 1 to 21, as WCAG defines it. */
export function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const ends = channelsOf(to);
  const mixed = channelsOf(from).map((channel, place) =>
    Math.round(channel + ((ends[place] ?? 0) - channel) * share)
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

function channelsOf(colour: Colour): number[] {
  return [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
}
