/** Words that more than one rule reads. */

/** Numbers that are written out. */
export const COUNTS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  sixty: 60,
};

/** An argument that takes what somebody is to do. */
export const TASK_FIELD = /^(?:.*_|sub)?task(?:_.*)?$/i;

/** The path of a file, recognised by its extension. For the flag `u`. */
export const PATH_SOURCE = String.raw`(?:[\p{L}\d_.-]+\/)*[\p{L}\d_-][\p{L}\d_.-]*\.[A-Za-z][A-Za-z\d]{0,7}(?![\p{L}\d])`;
