/** Finds the symbols of one file with its grammar: their names, signatures, comments, places, and what they call. */
import { Language, type Node, Parser, type TreeCursor } from "web-tree-sitter";
import { fileURLToPath } from "node:url";
import type { CodeSymbol, SymbolKind } from "../../core/codebases/indexed-file.ts";
import type { Grammar } from "../../core/codebases/languages.ts";
import { MAX_CALLS, MAX_SYMBOL_CHARACTERS, MAX_SYMBOLS } from "../../core/codebases/limits.ts";
import { GRAMMAR_RULES, type SymbolRule } from "./grammar-rules.ts";
import { describeSymbol, findName } from "./describe-symbol.ts";

/** A file that takes longer is found by its text only. */
const PARSE_MS = 5_000;
/** Of the text of a call, from its end: enough for the last name. */
const CALL_TAIL_CHARACTERS = 200;
const MAX_DEPTH = 2_000;

/** The grammars are next to it. */
const GRAMMARS = import.meta.resolve("@vscode/tree-sitter-wasm");

/** A grammar, and its rules by the numbers of its nodes. */
interface LoadedGrammar {
  readonly parser: Parser;
  readonly symbols: ReadonlyMap<number, SymbolRule>;
  readonly calls: ReadonlyMap<number, string>;
}

export interface SymbolFinder {
  /** Null: the file cannot be parsed, or not in time. */
  find(text: string, grammar: Grammar): Promise<readonly CodeSymbol[] | null>;
}

export async function openSymbolFinder(): Promise<SymbolFinder> {
  await Parser.init();
  const grammars = new Map<Grammar, Promise<LoadedGrammar>>();
  return {
    async find(text, grammar) {
      const loading = grammars.get(grammar) ?? loadGrammar(grammar);
      grammars.set(grammar, loading);
      const loaded = await loading;
      try {
        return parse(text, loaded);
      } catch (error) {
        // A trap of the grammar leaves its parser in an unknown state.
        grammars.delete(grammar);
        if (error instanceof Error && error.name === "RuntimeError") return null;
        throw error;
      }
    },
  };
}

async function loadGrammar(grammar: Grammar): Promise<LoadedGrammar> {
  const language = await Language.load(fileURLToPath(new URL(`tree-sitter-${grammar}.wasm`, GRAMMARS)));
  const parser = new Parser();
  parser.setLanguage(language);
  const { symbols, calls } = GRAMMAR_RULES[grammar];
  const byId = <Rule>(rules: Readonly<Record<string, Rule>>): ReadonlyMap<number, Rule> => {
    const byName = new Map(Object.entries(rules));
    const ids = Array.from({ length: language.nodeTypeCount }, (_, id) => id).filter((id) =>
      language.nodeTypeIsNamed(id),
    );
    return new Map(
      ids.flatMap((id) => {
        const rule = byName.get(language.nodeTypeForId(id) ?? "");
        return rule === undefined ? [] : [[id, rule] as const];
      }),
    );
  };
  return { parser, symbols: byId(symbols), calls: byId(calls) };
}

function parse(text: string, { parser, ...rules }: LoadedGrammar): readonly CodeSymbol[] | null {
  const until = performance.now() + PARSE_MS;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > until });
  if (tree === null) {
    parser.reset();
    return null;
  }
  const cursor = tree.walk();
  try {
    return collect(cursor, text, rules, until);
  } finally {
    cursor.delete();
    tree.delete();
  }
}

/** A symbol whose node is not left yet. `found` is null for one that only contains others. */
interface OpenSymbol {
  readonly depth: number;
  readonly name: string;
  readonly kind: SymbolKind | null;
  readonly calls: Set<string> | null;
}

function collect(
  cursor: TreeCursor,
  text: string,
  { symbols, calls }: Omit<LoadedGrammar, "parser">,
  until: number,
): readonly CodeSymbol[] | null {
  const found: { readonly symbol: Omit<CodeSymbol, "calls">; readonly calls: Set<string> }[] = [];
  const open: OpenSymbol[] = [];
  let depth = 0;
  for (let looked = 0; ; looked += 1) {
    if ((looked & 0x3ff) === 0 && performance.now() > until) return null;
    const type = cursor.nodeTypeId;
    const callField = calls.get(type);
    if (callField !== undefined) addCall(cursor.currentNode, callField, text, open);
    const rule = symbols.get(type);
    if (rule !== undefined && found.length < MAX_SYMBOLS) {
      const entered = enter(cursor.currentNode, rule, text, open);
      if (entered !== null) {
        const called = entered.symbol === null ? null : new Set<string>();
        open.push({ depth, name: entered.name, kind: entered.kind, calls: called });
        if (entered.symbol !== null && called !== null) found.push({ symbol: entered.symbol, calls: called });
      }
    }
    if (depth < MAX_DEPTH && cursor.gotoFirstChild()) {
      depth += 1;
      continue;
    }
    while (open.at(-1)?.depth === depth) open.pop();
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return found.map((one) => ({ ...one.symbol, calls: [...one.calls] }));
      depth -= 1;
      while (open.at(-1)?.depth === depth) open.pop();
    }
  }
}

interface EnteredSymbol {
  readonly name: string;
  readonly kind: SymbolKind | null;
  readonly symbol: Omit<CodeSymbol, "calls"> | null;
}

function enter(node: Node, rule: SymbolRule, text: string, open: readonly OpenSymbol[]): EnteredSymbol | null {
  const isInside = open.some(({ kind }) => kind === "function" || kind === "method");
  const named = findName(node, rule);
  const isValue = named?.kind === "constant" || named?.kind === "variable";
  if (named === null || (isInside && rule.onlyOutside === true && isValue)) return null;
  const container = open.at(-1);
  const prefix = container === undefined || named.isComplete ? "" : `${container.name}.`;
  const name = `${prefix}${named.name}`.slice(0, MAX_SYMBOL_CHARACTERS);
  if (named.kind === null) return { name, kind: null, symbol: null };
  const isInType = container !== undefined && container.kind !== "function" && container.kind !== "method";
  const kind = named.kind === "function" && isInType && container.kind !== "module" ? "method" : named.kind;
  return { name, kind, symbol: { name, kind, ...describeSymbol(node, text) } };
}

function addCall(node: Node, field: string, text: string, open: readonly OpenSymbol[]): void {
  const caller = open.findLast(({ calls }) => calls !== null)?.calls;
  const called = node.childForFieldName(field);
  if (called === null || caller === undefined || caller === null || caller.size >= MAX_CALLS) return;
  const tail = text.slice(Math.max(called.startIndex, called.endIndex - CALL_TAIL_CHARACTERS), called.endIndex);
  const name = /([\p{L}\p{N}_$-]+)[\s!?]*$/u.exec(tail.replace(/<[^<>]*>$/, ""))?.[1];
  if (name !== undefined) caller.add(name.slice(0, MAX_SYMBOL_CHARACTERS));
}
