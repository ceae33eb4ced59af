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

/** The text with its references filled in, each once. `valueOf` is asked for names that `referencedNames` gives. */
export function fillReferences(text: string, place: ReferencePlace, valueOf: (name: string) => string): string {
  return text.replace(REFERENCE, (_whole, plain: string | undefined, encoded = "") =>
    plain === undefined ? encodeURIComponent(valueOf(String(encoded))) : written(valueOf(plain), place),
  );
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
