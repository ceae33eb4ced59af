/** Made-up documents, and questions about them of three kinds: `reworded`, `near` and `vague`. */

/** Its title, and its sections, each with its heading, its text and a question in other words, which it answers. */
export type MadeDocument = readonly [
  title: string,
  sections: readonly (readonly [heading: string, text: string, question: string])[],
];

/** Of the document with this title: a vague question, which any section of it answers, and for each section one near its words. */
export type MoreQuestions = readonly [title: string, vague: string, near: readonly string[]];
