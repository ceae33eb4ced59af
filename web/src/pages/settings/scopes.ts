/** What the scopes of a key allow, in plain words. */
import type { Key } from "../../api/types.generated.ts";

export type Scope = Key["scopes"][number];

interface ScopeWords {
  readonly scope: Scope;
  readonly may: string;
  readonly inShort: string;
  /** What to consider before it is given. */
  readonly warning?: string;
}

export const SCOPES: readonly ScopeWords[] = [
  { scope: "tasks:read", may: "See tasks, their files and what waits for people", inShort: "see tasks" },
  {
    scope: "tasks:write",
    may: "Make, steer and cancel tasks; answer and approve",
    inShort: "make and steer tasks, answer and approve",
  },
  { scope: "tools:call", may: "Call tools by themselves", inShort: "call tools" },
  {
    scope: "people:act",
    may: "Act for other people",
    inShort: "act for others",
    warning:
      "A task of this key may act for any person of the tenant. Give it only to a program that speaks for its users.",
  },
  { scope: "knowledge:write", may: "Add, replace and delete documents", inShort: "change documents" },
  { scope: "admin", may: "Everything else: agents, keys, people, schedules, limits", inShort: "administer" },
];

/** What a key with these scopes may do, as one line. */
export function mayInWords(scopes: readonly Scope[]): string {
  const words = SCOPES.filter(({ scope }) => scopes.includes(scope)).map(({ inShort }) => inShort);
  const line = words.join(", ");
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}`;
}
