/**
 * What the row of an embedded text records: the model of its vector, and the form of the text that was embedded. A text with another
 * mark is embedded again, so a release that changes a form needs no migration, and what an earlier release embeds after it is
 * recognised.
 */
import type { VectorCollection } from "../ports/vectors.ts";

/** Increase one when the text that is embedded changes its form: 2 has the title and the headings of a document. */
const FORMS = { code: 1, knowledge: 2 } as const satisfies Partial<Record<VectorCollection, number>>;

export type MarkedCollection = keyof typeof FORMS;

/** Form 1 is the model alone, as releases without forms wrote it. The name of a model has no space. */
export function toVectorMark(model: string, collection: MarkedCollection): string {
  return toMark(model, FORMS[collection]);
}

/** The model of a mark: vectors of two forms can be compared, those of two models cannot. */
export function getMarkedModel(mark: string): string {
  return mark.split(" ", 1)[0] ?? mark;
}

function toMark(model: string, form: number): string {
  return form === 1 ? model : `${model} ${form}`;
}
