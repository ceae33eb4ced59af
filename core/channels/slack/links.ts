/** Links that a model wrote, as Slack shows them: one leads where it says that it leads, or says where that is. */
import { escapeText, wordsOf } from "./escape.ts";

const MAX_ADDRESS_CHARACTERS = 2_000;
/** Of a link's text, escaped: a link is never cut, and a block holds 3,000 characters. */
const MAX_TEXT_CHARACTERS = 800;
const LINKED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:", "tel:"]);

/** The address as mrkdwn has it; null: it is none that a message may link to. */
export function linkedAddress(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !LINKED.has(url.protocol) || url.username !== "" || url.password !== "") return null;
  const written = url.href.replace(/[|<>]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return written.length > MAX_ADDRESS_CHARACTERS ? null : escapeText(written);
}

/**
 * A link with a text, of one line, in parts that a split leaves whole. A text that reads like an address of another place
 * stands beside the address, in full; an address that may not be linked to stands as text.
 */
export function link(text: string, address: string): string[] {
  const shown = text.replace(/\s+/g, " ").trim();
  const isBare = shown === "" || shown === address;
  const target = linkedAddress(address);
  if (target === null) return wordsOf(isBare ? address : `${shown} (${address})`);
  if (isBare) return [`<${target}>`];
  const label = escapeText(shown);
  const isPlain = label.length > MAX_TEXT_CHARACTERS || isAnother(shown, address);
  return isPlain ? [...wordsOf(shown), " ", `(<${target}>)`] : [`<${target}|${label}>`];
}

/** Something in a text that a reader takes for an address: with a scheme, of mail, or a host with a dot. */
const ADDRESS_LIKE =
  /(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/giu;

function isAnother(text: string, address: string): boolean {
  const readable = text.normalize("NFKC").replace(/\p{Cf}/gu, "");
  const host = placeOf(address);
  return (readable.match(ADDRESS_LIKE) ?? []).some((found) => placeOf(found) !== host);
}

/** Where an address leads: its host without `www.`, or who gets the mail. */
function placeOf(address: string): string {
  const mail = /^(?:mailto:)?([^/?#@\s]+@[^/?#@\s]+)/i.exec(address);
  if (mail !== null && !/^https?:/i.test(address)) return (mail[1] ?? "").toLowerCase();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`);
  return (url === null || url.hostname === "" ? address : url.hostname).toLowerCase().replace(/^www\./, "");
}
