import { z } from "zod";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { contentSchema, MEMORY_LABELS, nameMemoryLabel, tagsSchema } from "../../core/memory/memory.ts";
import { defineTool, failWith } from "../define-tool.ts";

export default defineTool({
  name: "memory_save",
  summary:
    "Remember a fact for later tasks of this project, such as a decision or a preference. Write it so that it can be understood alone.",
  toolbox: "memory",
  category: "memory",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["memory"],
  input: z.object({ content: contentSchema, tags: tagsSchema.default([]) }),
  output: z.object({
    id: z.string(),
    merged: z.boolean().describe("It was known already; tags that were new were added"),
    searchable: z.boolean().describe("False: it is stored, and searches find it in about a minute"),
    label: z.enum(MEMORY_LABELS).describe("outside: unconfirmed, because text from outside was in the task"),
    project: z.string().nullable().describe("Null: of the whole tenant"),
    tags: z.array(z.string()),
  }),
  async run({ content, tags }, { memory, label, key, nowMs, signal }) {
    const saved = await memory.save({ content, tags: [...new Set(tags)], label, key, nowMs, signal });
    if (!saved.ok) return failWith(saved.error);
    const { memory: kept, isNew } = saved.value;
    const searchable = kept.embeddedBy !== null;
    const name = nameMemoryLabel(kept.label);
    return { id: kept.id, merged: !isNew, searchable, label: name, project: kept.project, tags: [...kept.tags] };
  },
  show({ id, merged, label, project }) {
    const where = project === null ? "for the whole tenant" : `for the project ${project}`;
    const note =
      label === "outside"
        ? " Text from outside was in this task, so other tasks find it only with include_outside, until a person confirms it."
        : "";
    return `${merged ? `This was known already, ${where}, as ${id}.` : `Saved ${where} as ${id}.`}${note}`;
  },
  examples: [
    {
      note: "a decision",
      given: { content: "The team chose Postgres over MySQL on 3 March.", tags: ["database", "decision"] },
    },
    { note: "a preference", given: { content: "Ana wants reports as a table, in English." } },
  ],
});
