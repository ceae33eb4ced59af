/** What goes wrong in an expression. It is thrown inside core/lib/maths and becomes the `error` of a result at its edge. */

/** Python's own exceptions, and those that only these rules have: a name or syntax, a complex result, a cost. */
export type MathsErrorKind =
  | "ZeroDivisionError"
  | "ValueError"
  | "OverflowError"
  | "TypeError"
  | "syntax"
  | "name"
  | "complex"
  | "refused";

export class MathsError extends Error {
  readonly kind: MathsErrorKind;

  /** Python's exceptions are named in the message, as Python's own last line of a traceback does. */
  constructor(kind: MathsErrorKind, message: string) {
    super(kind.endsWith("Error") ? `${kind}: ${message}` : message);
    this.name = "MathsError";
    this.kind = kind;
  }
}

export function syntaxError(message: string): MathsError {
  return new MathsError("syntax", `Syntax error: ${message}`);
}
