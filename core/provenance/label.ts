/**
 * The label of a text: its source, and so what it may do. A label is a number, higher for less trusted text; joining
 * two takes the higher one. The rules that use labels are in this folder.
 */

export const OPERATOR = 0 as const;
export const PRINCIPAL = 1 as const;
export const PERSON = 2 as const;
export const TENANT = 3 as const;
export const OUTSIDE = 4 as const;

/**
 * `OPERATOR`: instructions and pinned skills. `PRINCIPAL`: input and messages of an authenticated key or person.
 * `PERSON`: an answer of an authorised person. `TENANT`: the tenant's own records (memory, project files). `OUTSIDE`:
 * everything else.
 */
export type Label = 0 | 1 | 2 | 3 | 4;

/** Returns the label of a text made of both. */
export function joinLabels(first: Label, second: Label): Label {
  return first > second ? first : second;
}

/** True for text that may tell the agent what to do. */
export function mayInstruct(label: Label): boolean {
  return label <= PERSON;
}

/** The names of the labels in the API, by number. */
export const LABEL_NAMES = ["operator", "principal", "person", "tenant", "outside"] as const;

export function getLabelName(label: Label): (typeof LABEL_NAMES)[number] {
  return LABEL_NAMES[label];
}
