/**
 * Where a text came from, and so what it may do. A label is a number, the less trusted the higher, so that joining two is
 * taking the higher one. The rules that use labels are in this folder.
 */

export const OPERATOR = 0;
export const PRINCIPAL = 1;
export const PERSON = 2;
export const TENANT = 3;
export const OUTSIDE = 4;

/**
 * `OPERATOR`: instructions and pinned skills. `PRINCIPAL`: input and messages of an authenticated key or person. `PERSON`: an
 * answer by a person who may answer. `TENANT`: the tenant's own records (memory, project files). `OUTSIDE`: everything else.
 */
export type Label = 0 | 1 | 2 | 3 | 4;

/** The label of a text made of both. */
export function joinLabels(first: Label, second: Label): Label {
  return first > second ? first : second;
}

/** True for text that may tell the agent what to do. */
export function mayInstruct(label: Label): boolean {
  return label <= PERSON;
}
