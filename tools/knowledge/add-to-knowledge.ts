import { z } from "zod";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { INGEST_STATES } from "../../core/knowledge/document.ts";
import { MEMORY_LABELS, nameMemoryLabel, tagsSchema, toMemoryLabel } from "../../core/memory/memory.ts";
import { MAX_DOCUMENT_BYTES } from "../../core/ports/documents.ts";
import { joinLabels, OUTSIDE } from "../../core/provenance/label.ts";
import { isReadable } from "../../core/sandbox/file-mode.ts";
import { checkExtension, judgePath } from "../../core/sandbox/path.ts";
import { defineTool, failure, failWith } from "../define-tool.ts";

const MAX_TITLE_CHARACTERS = 300;

export default defineTool({
  name: "add_to_knowledge",
  summary:
    "Add a document of the sandbox to the knowledge of this project, so that this and later tasks can search it. It is read in the background.",
  toolbox: "knowledge",
  category: "documents",
  permissions: ["write"],
  security: "cautious",
  effect: "keyed",
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["files", "documentIntake"],
  refersTo: { filename: "read" },
  touches: () => [{ resource: "files", mode: "read" }],
  input: z.object({
    filename: z.string().describe("In the sandbox, e.g. reports/manual.pdf; at most 50 MB"),
    title: z.string().trim().min(1).max(MAX_TITLE_CHARACTERS).optional().describe("Default: its own title"),
    tags: tagsSchema.default([]),
  }),
  output: z.object({
    document_id: z.string(),
    status: z.enum(INGEST_STATES),
    label: z.enum(MEMORY_LABELS).describe("outside: text from outside was in the file or in the task"),
    project: z.string().nullable().describe("Null: of the whole tenant"),
  }),
  async run({ filename, title, tags }, { files, documentIntake, sandbox, label, key, nowMs }) {
    const path = judgePath(filename, sandbox, "read");
    if (!path.ok) return failWith({ ...path.error, field: "filename" });
    const allowed = checkExtension(path.value, sandbox);
    if (!allowed.ok) return failWith({ ...allowed.error, field: "filename" });
    const read = await files.read(path.value, MAX_DOCUMENT_BYTES);
    if (!read.ok) return failWith({ ...read.error, field: "filename" });
    const { entry, bytes } = read.value;
    if (!isReadable(entry))
      return failure("permission_denied", `Permission denied: ${entry.path}`, { field: "filename" });
    const joined = joinLabels(label, entry.label ?? OUTSIDE);
    const document = {
      path: entry.path,
      bytes,
      title: title ?? null,
      tags: [...new Set(tags)],
      label: joined,
      key,
      nowMs,
    };
    const added = await documentIntake.add(document);
    if (!added.ok) return failWith(added.error);
    const { id, status, project } = added.value;
    return { document_id: id, status, label: nameMemoryLabel(toMemoryLabel(joined)), project };
  },
  show({ document_id, status, project }) {
    const where = project === null ? "for the whole tenant" : `for the project ${project}`;
    const when = status === "ready" ? "Searches find it." : "Searches find it once it has been read, soon.";
    return `Added ${where} as ${document_id}. ${when}`;
  },
  examples: [{ note: "a manual that a person sent", given: { filename: "inbox/report.docx", tags: ["pumps"] } }],
});
