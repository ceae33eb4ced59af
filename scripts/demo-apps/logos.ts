/** Logos of the demo apps: pictures made from an app's name, and what a server of logos may give in their place. */
import { getOwn } from "../../core/base/own-field.ts";
import type { Faults, LogoFault } from "./faults.ts";
import { choose, toInteger } from "./seeded.ts";

/** Where logos are, without the key. */
export const LOGOS = "logos";
const NAME = /^([a-z0-9_-]{1,100})\.svg$/;
const SVG = "image/svg+xml";
/** More than Otto stores. */
const OVERSIZE_BYTES = 66_560;
/** An address that egress never reaches. */
const PRIVATE_URL = "http://10.1.2.3/logo.svg";

/** White shapes on a square of 40. */
const SHAPES: readonly [string, ...string[]] = [
  '<circle cx="20" cy="20" r="11"/>',
  '<circle cx="20" cy="20" r="9" fill="none" stroke="#fff" stroke-width="5"/>',
  '<path d="M20 7 33 20 20 33 7 20z"/>',
  '<path d="M9 30V10h6v20zM17 30V16h6v14zM25 30V6h6v24z"/>',
  '<path d="M8 13h24v14H20l-6 6v-6H8z"/>',
  '<path d="M20 7 33 31H7z"/>',
  '<path d="M9 9h9v9H9zM22 9h9v9h-9zM9 22h9v9H9zM22 22h9v9h-9z"/>',
];

type LogoReply =
  | { readonly kind: "bytes"; readonly status: number; readonly contentType: string; readonly bytes: Uint8Array }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "no_reply"; readonly how: "hang" };

export function getLogoUrl(origin: string, app: string): string {
  return `${origin}/${LOGOS}/${app}.svg`;
}

/** Answers a request of `/logos/{name}`. */
export function answerLogo({ orders }: Faults, name: string): LogoReply {
  const app = NAME.exec(name)?.[1];
  if (app === undefined) return toBytes("Not found", { status: 404, contentType: "text/plain" });
  const fault = getOwn(orders.logos ?? {}, app);
  return fault === undefined ? toBytes(drawLogo(app)) : answerFault(fault, app);
}

function answerFault(fault: LogoFault, app: string): LogoReply {
  switch (fault) {
    case "script":
      return toBytes(drawLogo(app).replace("</svg>", "<script>document.title = 'canary'</script></svg>"));
    case "page":
      return toBytes("<!doctype html><script>document.title = 'canary'</script>", { contentType: "image/png" });
    case "oversize":
      return toBytes(drawLogo(app).padEnd(OVERSIZE_BYTES));
    case "private":
      return { kind: "redirect", to: PRIVATE_URL };
    case "error":
      return toBytes("Internal server error", { status: 500, contentType: "text/plain" });
    case "hang":
      return { kind: "no_reply", how: "hang" };
  }
}

function drawLogo(app: string): string {
  const [hue, shape] = [toInteger(`${app} hue`, 360), choose(`${app} shape`, SHAPES)];
  const turn = 90 * toInteger(`${app} turn`, 4);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="8" fill="hsl(${hue} 55% 42%)"/><g fill="#fff" transform="rotate(${turn} 20 20)">${shape}</g></svg>`;
}

function toBytes(text: string, { status = 200, contentType = SVG } = {}): LogoReply {
  return { kind: "bytes", status, contentType, bytes: new TextEncoder().encode(text) };
}
