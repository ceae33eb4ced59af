/** The process that reads one document that pandoc reads badly or not at all: PDF, workbooks, presentations, CSV, plain text. */
import type { Frame } from "../frames.ts";
import { answerQuestions } from "./answer-questions.ts";
import { NotReadable } from "./not-readable.ts";
import type { ReadAnswer, ReadPart, ReadQuestion } from "./read-question.ts";

const MAX_QUESTION_BYTES = 120 * 1024 * 1024;

async function read(bytes: Uint8Array, question: ReadQuestion): Promise<ReadPart> {
  switch (question.kind) {
    case "pdf": {
      const { readPdf } = await import("./read-pdf.ts");
      return await readPdf(bytes, question);
    }
    case "xlsx": {
      const { readXlsx } = await import("./read-xlsx.ts");
      return await readXlsx(bytes);
    }
    case "pptx": {
      const { readPptx } = await import("./read-pptx.ts");
      return await readPptx(bytes);
    }
    default: {
      const { readCsv, readPlainText } = await import("./read-text.ts");
      if (question.kind === "csv") return readCsv(bytes, null);
      return question.kind === "tsv" ? readCsv(bytes, "\t") : readPlainText(bytes);
    }
  }
}

async function answer({ head, parts }: Frame): Promise<Frame> {
  try {
    const { markdown, units, warnings, images = [] } = await read(parts[0] ?? new Uint8Array(), head as ReadQuestion);
    const done: ReadAnswer = { error: null, units, warnings, images: images.map(({ name }) => name) };
    return { head: done, parts: [Buffer.from(markdown), ...images.map(({ bytes }) => bytes)] };
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    const refused: ReadAnswer = { error: error.message, units: null, warnings: [], images: [] };
    return { head: refused, parts: [] };
  }
}

await answerQuestions(MAX_QUESTION_BYTES, answer);
