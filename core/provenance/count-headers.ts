/** Counts the bits of information that a request's headers can carry to the host of a link that the agent read. */
import { MAX_CHOICE_BITS } from "./count-choice.ts";
import { countHeaderChoice, type Ground } from "./ground.ts";

/** The most headers of a request to such a link. */
const MAX_HEADERS = 3;
const PRESENCE_BITS = 1;

/** An item of a list such as `text/html, text/plain;q=0.9`, with its weight. */
const ITEM = /^([^;\s]+)(?:; ?q=(0(?:\.\d)?|1(?:\.0)?))?$/;
const USUAL_WEIGHTS = new Set(["0.9", "0.8", "0.7", "0.5"]);
const USUAL_WEIGHT_BITS = Math.log2(USUAL_WEIGHTS.size + 1);
const WEIGHT_BITS = 8;
const SEPARATOR_BITS = 1;

const MEDIA_TYPES = new Set([
  "*/*",
  "text/*",
  "text/html",
  "text/plain",
  "text/markdown",
  "text/csv",
  "text/xml",
  "application/json",
  "application/xml",
  "application/xhtml+xml",
  "application/atom+xml",
  "application/rss+xml",
  "application/pdf",
  "application/vnd.github+json",
]);

const USUAL_LANGUAGES = new Set(
  (
    "* af ar ar-sa az be bg bn bs ca cs cs-cz cy da da-dk de de-at de-ch de-de el el-gr en en-au en-ca en-gb en-ie en-in " +
    "en-us es es-ar es-es es-mx et eu fa fi fi-fi fil fr fr-be fr-ca fr-ch fr-fr ga gl he he-il hi hi-in hr hu hu-hu hy id " +
    "id-id is it it-ch it-it ja ja-jp ka kk ko ko-kr lt lv mk ms mt nb nb-no nl nl-be nl-nl nn no pl pl-pl pt pt-br pt-pt " +
    "ro ro-ro ru ru-ru sk sl sq sr sv sv-se sw ta te th th-th tr tr-tr uk uk-ua ur uz vi vi-vn zh zh-cn zh-hk zh-tw zu"
  ).split(" "),
);
const LANGUAGE = /^[a-z]{2}(?:-[a-z]{2})?$/;
const LANGUAGE_BITS = 20;

/**
 * Returns the header that exceeds the budget; null if all headers fit. They may choose among a server's options
 * (`accept`, `accept-language`), or be stated by a person or the operator, name and value together.
 */
export function findTellingHeader(headers: Readonly<Record<string, string>>, ground: Ground): string | null {
  let bits = 0;
  for (const [index, [name, value]] of Object.entries(headers).entries()) {
    const counted = countPlainHeader(name.toLowerCase(), value) ?? countHeaderChoice(name, value, ground);
    if (counted === null || index >= MAX_HEADERS) return name;
    bits += PRESENCE_BITS + counted;
    if (bits > MAX_CHOICE_BITS) return name;
  }
  return null;
}

function countPlainHeader(name: string, value: string): number | null {
  if (name === "accept")
    return countItems(value, (item) => (MEDIA_TYPES.has(item) ? Math.log2(MEDIA_TYPES.size) : null));
  if (name === "accept-language") return countItems(value.toLowerCase(), countLanguage);
  return null;
}

function countLanguage(tag: string): number | null {
  if (USUAL_LANGUAGES.has(tag)) return Math.log2(USUAL_LANGUAGES.size);
  return LANGUAGE.test(tag) ? LANGUAGE_BITS : null;
}

/** Counts the bits of a list in one of the two formats of header lists; null if it can carry anything. */
function countItems(value: string, countItem: (item: string) => number | null): number | null {
  const separator = value.includes(", ") ? ", " : ",";
  let bits = 0;
  for (const [index, written] of value.split(separator).entries()) {
    const [, item = "", weight] = ITEM.exec(written) ?? [];
    const counted = countItem(item);
    if (counted === null) return null;
    bits += counted + countWeight(index, weight) + (index === 0 ? 0 : SEPARATOR_BITS);
  }
  return bits;
}

/** The first item rarely has a weight, and the others have usual ones. */
function countWeight(index: number, weight: string | undefined): number {
  if (index === 0) return weight === undefined ? 0 : WEIGHT_BITS;
  return weight === undefined || USUAL_WEIGHTS.has(weight) ? USUAL_WEIGHT_BITS : WEIGHT_BITS;
}
