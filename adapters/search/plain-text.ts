/** Text without HTML: search engines mark the words that they found, and escape the rest. */

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};
const MAX_CODE_POINT = 0x10ffff;

/** One line. Tags are dropped and entities read; what looks like neither stays. */
export function plainText(html: string): string {
  return html
    .replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, "")
    .replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,6}));/g, readEntity)
    .replace(/\s+/g, " ")
    .trim();
}

function readEntity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const isText = code > 0 && code <= MAX_CODE_POINT && (code < 0xd800 || code > 0xdfff);
  return isText ? String.fromCodePoint(code) : whole;
}
