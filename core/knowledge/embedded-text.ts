/** The text whose meaning is the vector of a piece. */

const MAX_TITLE_CHARACTERS = 200;
const MAX_HEADING_CHARACTERS = 300;

/**
 * Returns a piece's text after the title of its document and its headings, since a section seldom repeats what it is about:
 * the rate of a contract is in a section that does not name the contract.
 */
export function toEmbeddedText(piece: {
  readonly title: string;
  readonly heading: readonly string[];
  readonly text: string;
}): string {
  const headings = piece.heading.join(" / ").slice(0, MAX_HEADING_CHARACTERS);
  return [piece.title.slice(0, MAX_TITLE_CHARACTERS), headings, piece.text].filter((part) => part !== "").join("\n");
}
