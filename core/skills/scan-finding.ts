/** What a scan of a skill says. */
import type { SkillNote } from "./head.ts";
import type { Reach } from "./scan-habits.ts";

/** What was found, in which line, and why it is worth a look. */
export interface ScanFinding extends SkillNote {
  readonly kind: Reach | "hidden_characters";
}

export interface Scan {
  readonly findings: readonly ScanFinding[];
  /** True: there is more than is listed. */
  readonly isCut: boolean;
}
