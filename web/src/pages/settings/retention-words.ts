/** Retention in words. */

export type RetentionPart = "tasks_days" | "logs_days" | "results_days";

/** The fields of the form, in their order. */
export const RETENTION_PARTS: readonly {
  readonly part: RetentionPart;
  readonly label: string;
  readonly hint: string;
}[] = [
  {
    part: "tasks_days",
    label: "Delete tasks after days",
    hint: "With their files. Usage and memory stay. Empty: keep.",
  },
  {
    part: "logs_days",
    label: "Delete logs after days",
    hint: "Events, messages and arguments. The answer stays. Empty: keep.",
  },
  {
    part: "results_days",
    label: "Delete large results after days",
    hint: "Results stored outside the ledger. Empty: keep.",
  },
];

const SUBJECTS: Readonly<Record<RetentionPart, string>> = {
  tasks_days: "Tasks",
  logs_days: "Logs",
  results_days: "Large results",
};

/** A line for each part that is removed; one line when all is kept. */
export function retentionInWords(retention: Readonly<Record<RetentionPart, number | null>>): string[] {
  const lines = RETENTION_PARTS.flatMap(({ part }) => {
    const days = retention[part];
    if (days === null) return [];
    return [`${SUBJECTS[part]} are deleted ${days} ${days === 1 ? "day" : "days"} after the end.`];
  });
  return lines.length === 0 ? ["Everything is kept."] : lines;
}
