/**
 * References to a tenant's secrets, `{{secret.NAME}}`: where they may occur in a request, and how the value is encoded
 * there. A percent-encoded reference, as in URLs and forms, is read too.
 */

import { CONNECTION_NAME, CONNECTION_REFERENCE } from "./connection-reference.ts";

/** Where a reference occurs; the value is encoded so that it stays one value. */
export type ReferencePlace = "url" | "header" | "json" | "form" | "text";

/** The format of a secret's name. */
export const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Plain, then percent-encoded. Other names are matched too, so that a typo is reported and not sent. */
const REFERENCE =
  /\{\{[ \t]*secret\.([A-Za-z0-9_-]{1,100})[ \t]*\}\}|%7B%7B(?:%20|\+)*secret\.([A-Za-z0-9_-]{1,100})(?:%20|\+)*%7D%7D/gi;

/** Formats a reference. */
export function formatReference(name: string): string {
  return name === CONNECTION_NAME ? CONNECTION_REFERENCE : `{{secret.${name}}}`;
}

/** The names that a text refers to, each once. */
export function findReferencedNames(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(REFERENCE), ([, plain, encoded = ""]) => plain ?? encoded))];
}

/**
 * Fills in each reference once; null when the result has more than `maxCharacters`, because a value is hundreds of
 * times as long as a reference. `valueOf` receives the names that `findReferencedNames` returns.
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
    const value =
      plain === undefined ? encodeURIComponent(valueOf(String(encoded))) : encodeValue(valueOf(plain), place);
    growth += value.length - whole.length;
    return value;
  });
  return text.length + growth > maxCharacters ? null : filled;
}

function encodeValue(value: string, place: ReferencePlace): string {
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
