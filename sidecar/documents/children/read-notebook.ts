/** Reads Jupyter notebooks (nbformat 4) as Markdown: text, code and its printed results. */
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { fenceText } from "./fence.ts";
import { NotReadable } from "./not-readable.ts";
import type { ReadPart } from "./read-question.ts";
import { decodeText } from "./read-text.ts";

const MAX_CELLS = 5_000;
const MAX_OUTPUT_CHARACTERS = 20_000;
const MAX_IMAGES = 200;

const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(""))]);
const outputSchema = z.object({
  output_type: z.string(),
  text: text.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  traceback: z.array(z.string()).optional(),
});
const cellSchema = z.object({
  cell_type: z.string(),
  source: text,
  outputs: z.array(outputSchema).default([]),
});
const notebookSchema = z.object({
  nbformat: z.int().min(4),
  metadata: z
    .object({
      language_info: z.object({ name: z.string() }).optional().catch(undefined),
      kernelspec: z.object({ language: z.string() }).optional().catch(undefined),
    })
    .default({}),
  cells: z.array(cellSchema),
});
type Output = z.infer<typeof outputSchema>;
type Image = NonNullable<ReadPart["images"]>[number];

export function readNotebook(bytes: Uint8Array): ReadPart {
  const { cells, metadata } = parseNotebook(bytes);
  const name = metadata.language_info?.name ?? metadata.kernelspec?.language ?? "";
  const language = /^[A-Za-z0-9+#-]{1,20}$/.test(name) ? name : "";
  const images: Image[] = [];
  const lost = new Set<string>();
  const blocks = cells.slice(0, MAX_CELLS).flatMap(({ cell_type: type, source, outputs }) => {
    const body = source.trim() === "" ? "" : type === "code" ? fenceText(source, language) : source.trimEnd();
    return [body, ...outputs.map((output) => formatOutput(output, images, lost))];
  });
  const warnings = [
    ...(cells.length > MAX_CELLS ? [`Only the first ${MAX_CELLS} of ${cells.length} cells were read.`] : []),
    ...(lost.size === 0 ? [] : [`Results in these formats were omitted: ${[...lost].slice(0, 20).join(", ")}.`]),
  ];
  return { markdown: blocks.filter((block) => block !== "").join("\n\n"), units: null, warnings, images };
}

function parseNotebook(bytes: Uint8Array): z.infer<typeof notebookSchema> {
  let json: unknown;
  try {
    json = JSON.parse(decodeText(bytes));
  } catch {
    throw new NotReadable("The notebook is damaged: it is not JSON.");
  }
  const parsed = notebookSchema.safeParse(json);
  if (!parsed.success)
    throw new NotReadable("The file is not a notebook of version 4. Open it in Jupyter and save it.");
  return parsed.data;
}

/** Adds a picture to `images`, and the names of formats that cannot be read to `lost`. */
function formatOutput({ text: printed, data = {}, traceback }: Output, images: Image[], lost: Set<string>): string {
  if (printed !== undefined) return formatPrinted(printed);
  if (traceback !== undefined) return formatPrinted(traceback.join("\n"));
  for (const extension of ["png", "jpeg"]) {
    const base64 = text.safeParse(data[`image/${extension}`]);
    if (!base64.success || images.length >= MAX_IMAGES) continue;
    const name = `output-${images.length + 1}.${extension === "jpeg" ? "jpg" : extension}`;
    images.push({ name, bytes: Buffer.from(base64.data, "base64") });
    return `![](${name})`;
  }
  const plain = text.safeParse(data["text/markdown"] ?? data["text/plain"]);
  if (plain.success) return "text/markdown" in data ? plain.data.trimEnd() : formatPrinted(plain.data);
  for (const format of Object.keys(data)) lost.add(format.slice(0, 80));
  return "";
}

function formatPrinted(printed: string): string {
  const plain = stripVTControlCharacters(printed);
  if (plain.trim() === "") return "";
  const omitted = plain.length - MAX_OUTPUT_CHARACTERS;
  const shown = omitted > 0 ? `${plain.slice(0, MAX_OUTPUT_CHARACTERS)}\n… ${omitted} more characters` : plain;
  return fenceText(shown, "text");
}
