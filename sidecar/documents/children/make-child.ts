/**
 * Runs the engines that make documents in a separate process: Typst for PDF, write-excel-file for workbooks, and the changes to office
 * files before and after pandoc. The content may be hostile, so the process has the limits of a converter.
 */
import { NodeCompiler } from "@myriaddreamin/typst-ts-node-compiler";
import type { Sheet } from "../../../core/documents/make.ts";
import type { Frame } from "../frames.ts";
import { styleDocx } from "../make/docx-style.ts";
import { finishDocx } from "../make/docx-finish.ts";
import {
  closeOffice,
  removeExternalTargets,
  CORE_PART,
  buildCoreProperties,
  type OfficeAbout,
  openOffice,
  setPart,
} from "../make/office-file.ts";
import { stylePptx } from "../make/pptx-style.ts";
import { fitPptx } from "../make/pptx-fit.ts";
import { writeWorkbook } from "../make/xlsx.ts";
import { answerQuestions } from "./answer-questions.ts";
import { findEmojiFolder, findFontFolders } from "./font-files.ts";

/** The question's head. Its parts are files. */
export type MakeQuestion =
  | {
      /** The parts are the Typst source and the images, in the order of `names`. */
      readonly kind: "pdf";
      readonly names: readonly string[];
      readonly inputs: Readonly<Record<string, string>>;
      readonly nowMs: number;
    }
  | {
      /** The part is the sheets as JSON. */
      readonly kind: "xlsx";
      readonly about: OfficeAbout;
      readonly nowMs: number;
    }
  /** The part is pandoc's reference document; the answer is the styled one. */
  | { readonly kind: "style"; readonly format: "docx" | "pptx" }
  /** The part is pandoc's output. */
  | {
      readonly kind: "finish";
      readonly format: "docx" | "pptx";
      readonly about: OfficeAbout;
      readonly nowMs: number;
      /** False if the sizes are those of a template. */
      readonly isOwnStyle?: boolean;
    };

/** The answer's head. Its one part is the document, absent when `error` is set. */
export interface MakeAnswer {
  readonly error: string | null;
}

export const MAX_MAKE_QUESTION_BYTES = 64 * 1024 * 1024;
/** Does not exist: a source can open only the files that came with it, which are in memory. */
const WORKSPACE = "/nonexistent/otto";
const UTF8 = new TextDecoder();

// Typst fetches packages that a source names. Outside a cage, this closed port prevents that.
const PROXY = "http://127.0.0.1:9";
Object.assign(process.env, { ALL_PROXY: PROXY, HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY });

/** Created once, since reading the installed fonts takes 0.2 s. */
let typst: NodeCompiler | undefined;

function makePdf({ names, inputs, nowMs }: Extract<MakeQuestion, { kind: "pdf" }>, parts: readonly Uint8Array[]) {
  const [source = new Uint8Array(), ...images] = parts;
  typst ??= NodeCompiler.create({
    workspace: WORKSPACE,
    fontArgs: [{ fontPaths: [...findFontFolders(), findEmojiFolder()] }],
  });
  names.forEach((name, index) => typst?.mapShadow(`${WORKSPACE}/${name}`, Buffer.from(images[index] ?? [])));
  try {
    const compiled = typst.compile({ mainFileContent: UTF8.decode(source), inputs: { ...inputs } });
    const { result } = compiled;
    if (result === null) return { error: firstMessage(compiled.takeError()?.shortDiagnostics) };
    return { bytes: typst.pdf(result, { creationTimestamp: Math.floor(nowMs / 1_000) }) };
  } finally {
    typst.resetShadow();
    typst.evictCache(0);
  }
}

function firstMessage(diagnostics: readonly { readonly message?: unknown }[] | undefined): string {
  const message = diagnostics?.[0]?.message;
  return typeof message === "string" ? message : "it cannot be typeset";
}

async function make(
  question: MakeQuestion,
  parts: readonly Uint8Array[],
): Promise<{ error: string } | { bytes: Uint8Array }> {
  const [first = new Uint8Array()] = parts;
  if (question.kind === "pdf") return makePdf(question, parts);
  if (question.kind === "xlsx") {
    const sheets = JSON.parse(UTF8.decode(first)) as readonly Sheet[];
    const { about, nowMs } = question;
    return { bytes: closeOffice(openOffice(await writeWorkbook({ sheets, about, nowMs }))) };
  }
  const office = openOffice(first);
  if (question.kind === "style") (question.format === "docx" ? styleDocx : stylePptx)(office);
  else {
    if (question.format === "docx") finishDocx(office);
    else fitPptx(office, question.isOwnStyle === true);
    removeExternalTargets(office);
    setPart(office, CORE_PART, buildCoreProperties(question.about, question.nowMs));
  }
  return { bytes: closeOffice(office) };
}

await answerQuestions(MAX_MAKE_QUESTION_BYTES, async ({ head, parts }: Frame) => {
  const made = await make(head as MakeQuestion, parts);
  const answer: MakeAnswer = { error: "error" in made ? made.error : null };
  return { head: answer, parts: "error" in made ? [] : [made.bytes] };
});
