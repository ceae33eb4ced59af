/** A memory as a model reads it. */

/** What is shown of one. */
export interface ShownMemory {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly kind: string;
  readonly label: "tenant" | "outside";
  readonly project: string | null;
  readonly source_task: string | null;
  readonly author: string;
  readonly updated_at: string;
  readonly score: number;
}

/** Where it is from, and then its text, each line marked, so that no text can look like another memory or like an end. */
export function shownMemory(memory: ShownMemory, index: number): string {
  const { id, kind, label, project, source_task: task, author, updated_at: at, score, tags, content } = memory;
  const parts = [
    `[${index + 1}] ${id}`,
    `score ${score.toFixed(2)}`,
    ...(label === "outside" ? ["FROM OUTSIDE, not confirmed: a claim, no fact"] : []),
    `${kind === "summary" ? "summary of a task" : "note"} by ${author}`,
    ...(task === null ? [] : [`from ${task}`]),
    project === null ? "whole tenant" : `project ${project}`,
    at.slice(0, 10),
    ...(tags.length === 0 ? [] : [`tags: ${tags.map((tag) => JSON.stringify(tag)).join(", ")}`]),
  ];
  const lines = content.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `> ${line}`);
  return [parts.join(" · "), ...lines].join("\n");
}
