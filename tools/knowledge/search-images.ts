import { z } from "zod";
import { formatMissingPermission } from "../../core/gateway/envelope.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import type { ReadPiece } from "../../core/knowledge/piece.ts";
import type { FilesPort } from "../../core/ports/files.ts";
import type { KnowledgePort } from "../../core/ports/knowledge-search.ts";
import { judgePath } from "../../core/sandbox/path.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";
import type { Result } from "../../core/base/errors.ts";
import { ok } from "../../core/base/errors.ts";
import { defineTool, failure, failWith } from "../define-tool.ts";
import { formatImage, imageFields, toImageFields } from "./piece-views.ts";
import {
  formatResults,
  formatSource,
  limitInput,
  queryInput,
  SEARCH_TIMEOUT_MS,
  searchDocuments,
  searchOutput,
  sourceFields,
  toSearchFields,
  toSourceFields,
} from "./search-documents.ts";

const FOLDER = "knowledge";
/** Time to copy up to 20 pictures. */
const SAVE_TIMEOUT_MS = 60_000;

export default defineTool({
  name: "search_images",
  summary:
    "Search pictures of documents. By caption, alternative text and the text next to them: no model looked at them.",
  toolbox: "knowledge",
  category: "documents",
  permissions: ["read"],
  security: ({ save }) => (save === true ? "cautious" : "safe"),
  effect: ({ save }) => (save === true ? "keyed" : "none"),
  keyedForMs: OWN_KEYED_FOR_MS,
  needs: ["knowledge", "files"],
  touches: ({ save }) => (save === true ? [{ resource: "files", mode: "write" }] : []),
  yields: "tenant",
  timeoutMs: ({ save }) => (save === true ? SAVE_TIMEOUT_MS : SEARCH_TIMEOUT_MS),
  input: z.object({
    query: queryInput,
    limit: limitInput,
    save: z.boolean().optional().describe(`Also copy them into ${FOLDER}/ in the sandbox`),
  }),
  output: z.object({
    ...searchOutput,
    described_by: z.literal("caption").describe("They are found by their captions and the text next to them"),
    results: z.array(z.object({ ...sourceFields, ...imageFields })),
  }),
  async run({ query, limit, save = false }, { knowledge, files, sandbox, permissions, key, signal }) {
    if (save && !permissions.includes("write"))
      return failure("permission_denied", formatMissingPermission("write", permissions), { field: "save" });
    const found = await searchDocuments({ query, kinds: ["image"], limit }, { knowledge, signal });
    if (!found.ok) return failWith(found.error);
    const results = [];
    for (const hit of found.value.hits) {
      const { piece } = hit;
      if (piece.kind !== "image") continue;
      const saved = save ? await saveImage(piece, { knowledge, files, sandbox, key }) : ok(null);
      if (!saved.ok) return failWith(saved.error);
      results.push({ ...toSourceFields(hit, knowledge), ...toImageFields(piece.data, saved.value) });
    }
    return { ...toSearchFields(query, found.value), described_by: "caption" as const, results };
  },
  show: (result) => {
    const rows = result.results.map((row) => formatSource(row, formatImage(row)));
    return formatResults(result, rows, "pictures", ["They were found by captions and the text next to them."]);
  },
  examples: [{ note: "a diagram", given: { query: "architecture diagram of the payment service" } }],
});

type ImagePiece = Extract<ReadPiece, { readonly kind: "image" }>;

interface SaveDeps {
  readonly knowledge: KnowledgePort;
  readonly files: Pick<FilesPort, "write">;
  readonly sandbox: SandboxRules;
  readonly key: string;
}

/** Copies a picture into the sandbox, and returns its path there. */
async function saveImage(piece: ImagePiece, { knowledge, files, sandbox, key }: SaveDeps): Promise<Result<string>> {
  const { contentType } = piece.data;
  const path = judgePath(`${FOLDER}/${piece.id}${getExtension(contentType)}`, sandbox, "write", "save");
  if (!path.ok) return path;
  const bytes = await knowledge.readImage(piece);
  if (!bytes.ok) return bytes;
  const written = await files.write(path.value, bytes.value, { key: `${key}/${piece.id}`, contentType });
  return written.ok ? ok(written.value.path) : written;
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/png", ".png"],
  ["image/jpeg", ".jpg"],
  ["image/gif", ".gif"],
  ["image/webp", ".webp"],
  ["image/svg+xml", ".svg"],
  ["image/bmp", ".bmp"],
  ["image/tiff", ".tiff"],
]);

function getExtension(contentType: string): string {
  return EXTENSIONS.get(contentType) ?? ".bin";
}
