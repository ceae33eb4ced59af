/** An error in an expression, thrown inside core/lib/maths. `evaluate` and the tools convert it to a result. */

/** Python's exceptions, and four kinds of this module. `refused`: the expression would take too much work. */
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

  /** The message begins with the name of Python's exception, like the last line of a traceback. */
  constructor(kind: MathsErrorKind, message: string) {
    super(kind.endsWith("Error") ? `${kind}: ${message}` : message);
    this.name = "MathsError";
    this.kind = kind;
  }
}

export function createSyntaxError(message: string): MathsError {
  return new MathsError("syntax", `Syntax error: ${message}`);
}
