import type { Faults } from "../../ui/faults.ts";
import type { ScheduleDraft } from "./schedule-draft.ts";

/** What each part of the form is given. */
export interface PartProps {
  readonly draft: ScheduleDraft;
  readonly onChange: (part: Partial<ScheduleDraft>) => void;
  readonly faults: Faults;
}

/** The key of a table that a choice names; undefined when it names none. */
export function keyIn<Key extends string>(table: Readonly<Record<Key, unknown>>, text: string): Key | undefined {
  return (Object.keys(table) as Key[]).find((key) => key === text);
}
