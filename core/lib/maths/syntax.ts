/** Parses expressions by Python's grammar for numbers, names, signs, `+ - * / // % **`, parentheses and calls. */
import { MathsError, createSyntaxError } from "./maths-error.ts";
import { type PythonNumber, type Token, tokenize } from "./tokens.ts";

export type Operator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

/** A part of an expression. A chain of binary operators of equal precedence nests to the left, except `**`. */
export type Expression =
  | { readonly kind: "number"; readonly value: PythonNumber; readonly text: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "unary"; readonly operator: "+" | "-"; readonly operand: Expression }
  | { readonly kind: "binary"; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "call"; readonly callee: Expression; readonly given: readonly Expression[] }
  /** Python syntax that these rules forbid; its evaluation fails with `message`. */
  | { readonly kind: "forbidden"; readonly message: string };

/** `right` is null for a single expression, which means `left = 0`. */
export interface Equation {
  readonly left: Expression;
  readonly right: Expression | null;
}

/** The most nested parentheses, signs and exponents: CPython's limit of parentheses. */
const MAX_NESTING = 200;

/** Infix operators of Python that are forbidden. */
const FORBIDDEN_INFIX = new Set(["<<", ">>", "==", "!=", "<=", ">=", "<", ">", "&", "|", "^", "@", ":="]);

/** Parses an expression. Throws a `MathsError` for invalid text. */
export function parseExpression(text: string): Expression {
  const parser = new Parser(tokenize(text));
  const expression = parser.sum();
  parser.end();
  return expression;
}

/** Parses an expression, or two with `=` or `==` between them. */
export function parseEquation(text: string): Equation {
  const parser = new Parser(tokenize(text));
  const left = parser.sum();
  const right = parser.takes("=") || parser.takes("==") ? parser.sum() : null;
  parser.end();
  return { left, right };
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  sum(): Expression {
    let left = this.#term();
    for (let sign = this.#takesOneOf("+", "-"); sign !== null; sign = this.#takesOneOf("+", "-")) {
      left = { kind: "binary", operator: sign, left, right: this.#term() };
    }
    return left;
  }

  /** Throws if tokens remain. */
  end(): void {
    const token = this.#next();
    if (token.kind !== "end") throw createUnexpectedError(token, true);
  }

  takes(symbol: string): boolean {
    const token = this.#next();
    const does = token.kind === "symbol" && token.text === symbol;
    if (does) this.#at += 1;
    return does;
  }

  #term(): Expression {
    let left = this.#factor();
    for (;;) {
      const operator = this.#takesOneOf("*", "/", "//", "%");
      if (operator === null) return left;
      left = { kind: "binary", operator, left, right: this.#factor() };
    }
  }

  #factor(): Expression {
    const operator = this.#takesOneOf("+", "-", "~");
    if (operator === null) return this.#power();
    const operand = this.#nested(() => this.#factor());
    if (operator === "~") return { kind: "forbidden", message: "Operator not permitted: '~'" };
    return { kind: "unary", operator, operand };
  }

  #power(): Expression {
    const left = this.#primary();
    if (!this.takes("**")) return left;
    return { kind: "binary", operator: "**", left, right: this.#nested(() => this.#factor()) };
  }

  #primary(): Expression {
    let primary = this.#atom();
    for (;;) {
      if (this.takes("(")) primary = { kind: "call", callee: primary, given: this.#nested(() => this.#given()) };
      else if (this.takes(".")) {
        const token = this.#next();
        if (token.kind !== "name") throw createUnexpectedError(token, false);
        this.#at += 1;
        primary = { kind: "forbidden", message: "Attribute access not permitted" };
      } else return primary;
    }
  }

  /** Parses the arguments of a call, with an optional last comma. */
  #given(): Expression[] {
    const given: Expression[] = [];
    while (!this.takes(")")) {
      given.push(this.sum());
      if (this.takes("=")) throw new MathsError("syntax", "Keyword arguments not permitted");
      if (this.takes(",")) continue;
      if (!this.takes(")")) throw createUnexpectedError(this.#next(), true);
      break;
    }
    return given;
  }

  #atom(): Expression {
    const token = this.#next();
    this.#at += 1;
    if (token.kind === "number") return { kind: "number", value: token.value, text: token.text };
    // Python normalises identifiers to this form.
    if (token.kind === "name") return { kind: "name", name: token.text.normalize("NFKC") };
    if (token.kind === "string") return { kind: "forbidden", message: "Text not permitted: only numbers" };
    if (token.text !== "(") throw createUnexpectedError(token, false);
    const inside = this.#nested(() => this.sum());
    if (!this.takes(")")) throw createUnexpectedError(this.#next(), true);
    return inside;
  }

  #nested<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_NESTING) throw createSyntaxError(`more than ${MAX_NESTING} levels inside one another`);
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  #takesOneOf<const S extends string>(...symbols: readonly S[]): S | null {
    return symbols.find((symbol) => this.takes(symbol)) ?? null;
  }

  #next(): Token {
    return this.#tokens[Math.min(this.#at, this.#tokens.length - 1)] ?? { kind: "end", text: "", at: 0 };
  }
}

/** `afterOperand`: an operator could follow. */
function createUnexpectedError(token: Token, afterOperand: boolean): MathsError {
  if (token.kind === "end") return createSyntaxError("it ends too early");
  if (afterOperand && token.kind === "symbol" && FORBIDDEN_INFIX.has(token.text)) {
    const hint = token.text === "^" ? "; a power is written **" : "";
    return new MathsError("syntax", `Operator not permitted: '${token.text}'${hint}`);
  }
  return createSyntaxError(`unexpected '${token.text}' at character ${token.at}`);
}
