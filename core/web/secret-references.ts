/**
 * References to a tenant's secrets, `{{secret.NAME}}`: where they stand in a request, and how the value is written in
 * each of those places. A reference that was percent-encoded, as URLs and forms do it, is read as well.
 */

/** Where a reference stands; its value is written so that it stays one value there. */
export type ReferencePlace = "url" | "header" | "json" | "form" | "text";

/** What the name of a secret looks like. */
export const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Plain, then percent-encoded. Names in other forms are read too, so that a mistyped one is told and not sent. */
const REFERENCE =
  /\{\{[ \t]*secret\.([A-Za-z0-9_-]{1,100})[ \t]*\}\}|%7B%7B(?:%20|\+)*secret\.([A-Za-z0-9_-]{1,100})(?:%20|\+)*%7D%7D/gi;

/** How a reference is written. */
export function referenceTo(name: string): string {
  return `{{secret.${name}}}`;
}

/** The names that a text refers to, each once. */
export function referencedNames(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(REFERENCE), ([, plain, encoded = ""]) => plain ?? encoded))];
}

/**
 * The text with its references filled in, each once; null when it has more than `maxCharacters` then, because a value is
 * hundreds of times as long as a reference to it. `valueOf` is asked for names that `referencedNames` gives.
 */
export function fillReferences(
  text: string,
  place: ReferencePlace,
  maxCharacters: number,
  valueOf: (name: string) => string,
): string | null {
  let growth = 0;
  const filled = text.replace(REFERENCE, (whole: string, plain: string | undefined, encoded = "") => {
    if (growth > maxCharacters) return "";
    const value = plain === undefined ? encodeURIComponent(valueOf(String(encoded))) : written(valueOf(plain), place);
    growth += value.length - whole.length;
    return value;
  });
  return text.length + growth > maxCharacters ? null : filled;
}

function written(value: string, place: ReferencePlace): string {
  switch (place) {
    case "url":
    case "form":
      return encodeURIComponent(value);
    case "json":
      return JSON.stringify(value).slice(1, -1);
    case "header":
    case "text":
      return value;
  }
}
