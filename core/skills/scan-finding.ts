/** The findings of a skill scan. */
import type { SkillNote } from "./head.ts";
import type { Reach } from "./scan-habits.ts";

/** What was found, in which line, and why it matters. */
export interface ScanFinding extends SkillNote {
  readonly kind: Reach | "hidden_characters";
}

export interface Scan {
  readonly findings: readonly ScanFinding[];
  /** True when the list is incomplete. */
  readonly isCut: boolean;
}
