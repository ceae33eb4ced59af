/** The tokens of an expression, by Python's lexical rules. */
import { MathsError, createSyntaxError } from "./maths-error.ts";

/** An integer of Python is a bigint here, a float a number. */
export type PythonNumber = bigint | number;

export type Token =
  | { readonly kind: "number"; readonly text: string; readonly value: PythonNumber; readonly at: number }
  | { readonly kind: "name" | "symbol" | "string"; readonly text: string; readonly at: number }
  | { readonly kind: "end"; readonly text: ""; readonly at: number };

const DIGITS = String.raw`\d(?:_?\d)*`;
const BASED = /0(?:[xX](?:_?[\da-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)/y;
const DECIMAL = new RegExp(String.raw`(?:(?:${DIGITS})?\.${DIGITS}|${DIGITS}\.?)(?:[eE][+-]?${DIGITS})?`, "y");
const NAME = /[\p{XID_Start}_]\p{XID_Continue}*/uy;
const SYMBOL = /\*\*|\/\/|<<|>>|==|!=|<=|>=|:=|[-+*/%()[\]{},.:;=<>&|^~@!?$\\]/y;
const STRING = /"[^"\n]*"|'[^'\n]*'/y;
const SPACE = /[ \t\f]+|#[^\n]*|\\\r?\n/y;
const NEWLINE = /\r?\n|\r/y;

/** Returns all tokens, the last of kind `end`. Throws a syntax error. Positions count from 1. */
export function tokenize(text: string): Token[] {
  const source = text.trim();
  const skipped = text.indexOf(source);
  const tokens: Token[] = [];
  let depth = 0;
  for (let at = 0; at < source.length; ) {
    const space = match(SPACE, source, at) ?? (depth > 0 ? match(NEWLINE, source, at) : null);
    if (space !== null) {
      at += space.length;
      continue;
    }
    const token = readToken(source, at);
    if (token.text === "(") depth += 1;
    if (token.text === ")") depth -= 1;
    at += token.text.length;
    tokens.push({ ...token, at: token.at + skipped });
  }
  tokens.push({ kind: "end", text: "", at: text.length + 1 });
  return tokens;
}

function readToken(source: string, at: number): Token {
  const number = readNumber(source, at);
  if (number !== null) return number;
  for (const [kind, pattern] of [
    ["name", NAME],
    ["string", STRING],
    ["symbol", SYMBOL],
  ] as const) {
    const text = match(pattern, source, at);
    if (text !== null) return { kind, text, at: at + 1 };
  }
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  throw createSyntaxError(`unexpected ${JSON.stringify(character)} at character ${at + 1}`);
}

function readNumber(source: string, at: number): Token | null {
  const based = match(BASED, source, at);
  const text = based ?? match(DECIMAL, source, at);
  if (text === null) return null;
  const next = source.slice(at + text.length, at + text.length + 1);
  if (based === null && /[jJ]/.test(next)) throw new MathsError("complex", "Complex numbers not permitted");
  if (/[\w\u{80}-\u{10ffff}]/u.test(next)) throw createSyntaxError(`invalid number at character ${at + 1}`);
  return { kind: "number", text, value: parseNumber(text, based !== null, at), at: at + 1 };
}

function parseNumber(text: string, isBased: boolean, at: number): PythonNumber {
  const plain = text.replaceAll("_", "");
  if (isBased) return BigInt(plain);
  if (/[.eE]/.test(plain)) return Number(plain);
  if (/^0+[1-9]/.test(plain)) throw createSyntaxError(`an integer begins with zeros at character ${at + 1}`);
  return BigInt(plain);
}

function match(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}
