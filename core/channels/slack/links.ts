/** Renders a model's links for Slack so that their text cannot claim another target. */
import { escapeText, splitWords } from "./escape.ts";

const MAX_ADDRESS_CHARACTERS = 2_000;
/** Limit of a link's escaped text: a link is never split, and a block has 3,000 characters. */
const MAX_TEXT_CHARACTERS = 800;
const LINKED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:", "tel:"]);

/** The address in mrkdwn; null when a message may not link to it. */
export function toLinkAddress(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !LINKED.has(url.protocol) || url.username !== "" || url.password !== "") return null;
  const written = url.href.replace(/[|<>]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return written.length > MAX_ADDRESS_CHARACTERS ? null : escapeText(written);
}

/**
 * Renders a link as parts that are never split. When the text looks like another address, the real one follows it in
 * full. A forbidden address becomes plain text.
 */
export function renderLink(text: string, address: string): string[] {
  const label = text.replace(/\s+/g, " ").trim();
  const isBare = label === "" || label === address;
  const target = toLinkAddress(address);
  if (target === null) return splitWords(isBare ? address : `${label} (${address})`);
  if (isBare) return [`<${target}>`];
  const escaped = escapeText(label);
  const isPlain = escaped.length > MAX_TEXT_CHARACTERS || namesOtherTarget(label, address);
  return isPlain ? [...splitWords(label), " ", `(<${target}>)`] : [`<${target}|${escaped}>`];
}

/** What a reader takes for an address: with a scheme, a mail address, or a host with a dot. */
const ADDRESS_LIKE =
  /(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/giu;

function namesOtherTarget(text: string, address: string): boolean {
  const readable = text.normalize("NFKC").replace(/\p{Cf}/gu, "");
  const host = getTarget(address);
  return (readable.match(ADDRESS_LIKE) ?? []).some((found) => getTarget(found) !== host);
}

/** The target of an address: its host without `www.`, or the mail's recipient. */
function getTarget(address: string): string {
  const mail = /^(?:mailto:)?([^/?#@\s]+@[^/?#@\s]+)/i.exec(address);
  if (mail !== null && !/^https?:/i.test(address)) return (mail[1] ?? "").toLowerCase();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`);
  return (url === null || url.hostname === "" ? address : url.hostname).toLowerCase().replace(/^www\./, "");
}
