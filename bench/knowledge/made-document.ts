/** A made-up document: its title, and its sections, each with its heading, its text and a question that it answers. */
export type MadeDocument = readonly [
  title: string,
  sections: readonly (readonly [heading: string, text: string, question: string])[],
];
