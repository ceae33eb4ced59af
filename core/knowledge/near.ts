/** The cosine similarity from which a text is found by its meaning alone, without the words of a query. Of documents and of code. */
export const NEAR_SIMILARITY = 0.35;
