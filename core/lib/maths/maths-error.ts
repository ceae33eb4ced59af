/** An error in an expression, thrown inside core/lib/maths and converted to a result at its edge. */

/** Python's exceptions, and those of these rules: a name or syntax, a complex result, a cost. */
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
