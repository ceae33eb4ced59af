/**
 * The process that reads one document that pandoc reads badly or not at all: PDF, workbooks, presentations, mails,
 * notebooks, pictures, CSV, plain text.
 */
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
    case "ods": {
      const { readOds } = await import("./read-ods.ts");
      return await readOds(bytes);
    }
    case "eml": {
      const { readMail } = await import("./read-mail.ts");
      return await readMail(bytes);
    }
    case "ipynb": {
      const { readNotebook } = await import("./read-notebook.ts");
      return readNotebook(bytes);
    }
    case "image": {
      const { readPicture } = await import("./read-picture.ts");
      return await readPicture(bytes);
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
    const part = await read(parts[0] ?? new Uint8Array(), head as ReadQuestion);
    const { markdown, units, warnings, html, images = [] } = part;
    const names = images.map(({ name }) => name);
    const done: ReadAnswer = { error: null, units, warnings, hasHtml: html !== undefined, images: names };
    const texts = [Buffer.from(markdown), ...(html === undefined ? [] : [Buffer.from(html)])];
    return { head: done, parts: [...texts, ...images.map(({ bytes }) => bytes)] };
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    const refused: ReadAnswer = { error: error.message, units: null, warnings: [], hasHtml: false, images: [] };
    return { head: refused, parts: [] };
  }
}

await answerQuestions(MAX_QUESTION_BYTES, answer);
