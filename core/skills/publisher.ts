/**
 * Whether two skills of one name come from one publisher, by what their heads say: the author and the license. Two
 * publishers often choose the same name (`pdf`), and one must not become the next version of the other unasked.
 */
import type { Skill } from "./skill.ts";

type Published = Pick<Skill, "name" | "author" | "license">;

/** The question whether an upload replaces the present skill of its name; null if both have one publisher. */
export function askWhichSkill(present: Published, upload: Published): string | null {
  if (isSame(present.author, upload.author) && isSame(present.license, upload.license)) return null;
  return `Another publisher may have made the present skill ${present.name} (${describe(present)}; this upload: ${describe(upload)}). To make this upload its next version, repeat the request with same_skill=true. If they are two skills, give this one another name.`;
}

function isSame(one: string | null, other: string | null): boolean {
  return normalize(one) === normalize(other);
}

function normalize(text: string | null): string {
  return (text ?? "").trim().toLowerCase().replace(/\s+/g, " ");
}

function describe({ author, license }: Published): string {
  return `${author === null ? "no author" : `author ${shorten(author)}`}, ${license === null ? "no license" : `license ${shorten(license)}`}`;
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
