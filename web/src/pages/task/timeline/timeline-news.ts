/** What of a timeline is worth telling a person who cannot see it grow. */
import { statusWord } from "../../../ui/badge.tsx";
import type { Item, Step } from "./timeline-items.ts";

/** Characters of a message that are read out. */
const READ_OUT = 600;

/** The latest of what came after sequence number `since`; null when nothing of it is to be read out. */
export function newsOf({ items }: Step, since: number): string | null {
  const fresh = items.filter(({ key }) => Number(key) > since);
  return fresh.reduceRight<string | null>((found, item) => found ?? readOut(item), null);
}

function readOut(item: Item): string | null {
  switch (item.kind) {
    case "message":
      return item.text.trim() === "" ? null : cut(item.text);
    case "question":
      return cut(`Asks: ${item.query}`);
    case "approval":
      return cut(`Asks for approval of ${item.tool}`);
    case "connection":
      return cut(`Needs an account of ${item.app}`);
    case "end":
      return `The task ended: ${statusWord(item.status)}`;
    default:
      return null;
  }
}

function cut(text: string): string {
  return text.length > READ_OUT ? `${text.slice(0, READ_OUT)}…` : text;
}
