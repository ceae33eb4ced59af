/** What each grammar of tree-sitter calls the parts of a program. A grammar's own `node-types.json` is the reference. */
import type { SymbolKind } from "../../core/codebases/indexed-file.ts";
import type { Grammar } from "../../core/codebases/languages.ts";

/** A node that is a symbol. */
export interface SymbolRule {
  /** Null: it only contains others (an `impl` of Rust), and is no symbol of its own. */
  readonly kind: SymbolKind | null;
  /** The field with its name. Absent: `name`, else the first identifier of its declarator. */
  readonly name?: string;
  /** Only outside of functions. */
  readonly onlyOutside?: true;
}

export interface GrammarRules {
  readonly symbols: Readonly<Record<string, SymbolRule>>;
  /** Nodes that call something, and the field with what they call. */
  readonly calls: Readonly<Record<string, string>>;
}

const FUNCTION: SymbolRule = { kind: "function" };
const METHOD: SymbolRule = { kind: "method" };
const CLASS: SymbolRule = { kind: "class" };
const INTERFACE: SymbolRule = { kind: "interface" };
const ENUM: SymbolRule = { kind: "enum" };
const STRUCT: SymbolRule = { kind: "struct" };
const TYPE: SymbolRule = { kind: "type" };
const MODULE: SymbolRule = { kind: "module" };
const CONSTANT: SymbolRule = { kind: "constant", onlyOutside: true };
const VARIABLE: SymbolRule = { kind: "variable", onlyOutside: true };

const JAVASCRIPT: GrammarRules = {
  symbols: {
    function_declaration: FUNCTION,
    generator_function_declaration: FUNCTION,
    class_declaration: CLASS,
    method_definition: METHOD,
    field_definition: { kind: "variable", name: "property" },
    variable_declarator: VARIABLE,
  },
  calls: { call_expression: "function", new_expression: "constructor" },
};

const TYPESCRIPT: GrammarRules = {
  symbols: {
    ...JAVASCRIPT.symbols,
    abstract_class_declaration: CLASS,
    abstract_method_signature: METHOD,
    enum_declaration: ENUM,
    function_signature: FUNCTION,
    interface_declaration: INTERFACE,
    internal_module: MODULE,
    method_signature: METHOD,
    public_field_definition: { kind: "variable" },
    type_alias_declaration: TYPE,
  },
  calls: JAVASCRIPT.calls,
};

export const GRAMMAR_RULES: Readonly<Record<Grammar, GrammarRules>> = {
  bash: { symbols: { function_definition: FUNCTION }, calls: { command: "name" } },
  "c-sharp": {
    symbols: {
      class_declaration: CLASS,
      constructor_declaration: METHOD,
      delegate_declaration: TYPE,
      enum_declaration: ENUM,
      interface_declaration: INTERFACE,
      method_declaration: METHOD,
      namespace_declaration: MODULE,
      property_declaration: { kind: "variable" },
      record_declaration: CLASS,
      struct_declaration: STRUCT,
    },
    calls: { invocation_expression: "function", object_creation_expression: "type" },
  },
  cpp: {
    symbols: {
      class_specifier: CLASS,
      enum_specifier: ENUM,
      field_declaration: METHOD,
      function_definition: FUNCTION,
      declaration: FUNCTION,
      namespace_definition: MODULE,
      preproc_def: CONSTANT,
      preproc_function_def: FUNCTION,
      struct_specifier: STRUCT,
      type_definition: TYPE,
    },
    calls: { call_expression: "function" },
  },
  go: {
    symbols: {
      const_spec: CONSTANT,
      function_declaration: FUNCTION,
      method_declaration: METHOD,
      type_spec: TYPE,
      var_spec: VARIABLE,
    },
    calls: { call_expression: "function" },
  },
  java: {
    symbols: {
      annotation_type_declaration: INTERFACE,
      class_declaration: CLASS,
      constructor_declaration: METHOD,
      enum_declaration: ENUM,
      interface_declaration: INTERFACE,
      method_declaration: METHOD,
      record_declaration: CLASS,
    },
    calls: { method_invocation: "name", object_creation_expression: "type" },
  },
  javascript: JAVASCRIPT,
  php: {
    symbols: {
      class_declaration: CLASS,
      const_element: CONSTANT,
      enum_declaration: ENUM,
      function_definition: FUNCTION,
      interface_declaration: INTERFACE,
      method_declaration: METHOD,
      trait_declaration: { kind: "trait" },
    },
    calls: {
      function_call_expression: "function",
      member_call_expression: "name",
      scoped_call_expression: "name",
    },
  },
  powershell: {
    symbols: { class_method_definition: METHOD, class_statement: CLASS, function_statement: FUNCTION },
    calls: { command: "command_name" },
  },
  python: {
    symbols: { assignment: { ...VARIABLE, name: "left" }, class_definition: CLASS, function_definition: FUNCTION },
    calls: { call: "function" },
  },
  ruby: {
    symbols: {
      assignment: { ...CONSTANT, name: "left" },
      class: CLASS,
      method: METHOD,
      module: MODULE,
      singleton_method: METHOD,
    },
    calls: { call: "method" },
  },
  rust: {
    symbols: {
      const_item: CONSTANT,
      enum_item: ENUM,
      function_item: FUNCTION,
      function_signature_item: FUNCTION,
      impl_item: { kind: null, name: "type" },
      macro_definition: FUNCTION,
      mod_item: MODULE,
      static_item: CONSTANT,
      struct_item: STRUCT,
      trait_item: { kind: "trait" },
      type_item: TYPE,
    },
    calls: { call_expression: "function", macro_invocation: "macro" },
  },
  tsx: TYPESCRIPT,
  typescript: TYPESCRIPT,
};
