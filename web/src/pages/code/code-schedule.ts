/** When a codebase is indexed again: the choices of the form, the rule that they make, and the rule in words. */
import type { Codebase } from "../../api/types.generated.ts";
import type { Faults } from "../../ui/faults.ts";
import { whenInWords } from "../schedules/rhythm.ts";

/** Stands for a rule that a person types. */
export const OTHER = "other";
/** The rules that the form offers, as the API writes them; empty: none. */
export const OFFERED_RULES = ["", "1h", "6h", "1d", "7d"] as const;

const HOUR_S = 3_600;
const INTERVAL = /^(\d+)([hd])$/;

export interface RuleDraft {
  /** One of the offered rules, or `other`. */
  readonly choice: string;
  /** The typed rule. */
  readonly typed: string;
}

export const NO_RULE: RuleDraft = { choice: "", typed: "" };

export function toRuleDraft(every: string | null): RuleDraft {
  const rule = every ?? "";
  return (OFFERED_RULES as readonly string[]).includes(rule)
    ? { choice: rule, typed: "" }
    : { choice: OTHER, typed: rule };
}

/** The rule of a request; null: on request only. */
export function readRule({ choice, typed }: RuleDraft): string | null {
  const rule = choice === OTHER ? typed.trim() : choice;
  return rule === "" ? null : rule;
}

/** What is wrong before anything is sent, by the API's name of the field. */
export function findRuleFault(draft: RuleDraft): Faults {
  const isMissing = draft.choice === OTHER && readRule(draft) === null;
  return isMissing ? { "reindex.every": "Enter an interval or a cron expression." } : {};
}

/** "every 6 hours", "every day at 03:15 in UTC". */
export function describeRule(every: string): string {
  const [, count, unit] = INTERVAL.exec(every) ?? [];
  if (count === undefined) return whenInWords({ kind: "cron", expression: every }, "UTC");
  const seconds = Number(count) * (unit === "d" ? 24 : 1) * HOUR_S;
  return whenInWords({ kind: "interval", every_seconds: seconds }, "UTC");
}

/** When a source without a rule is indexed again: pushes are those of a repository. */
export function describeNoRule(isRepository: boolean): string {
  return isRepository ? "On request and on pushes" : "On request";
}

/** A ZIP file never changes, so that it needs no rule. One that the API set is shown, and can be removed. */
export function canHaveRule({ source, reindex }: Pick<Codebase, "source" | "reindex">): boolean {
  return !("zip" in source) || reindex.every !== null;
}
