/** What a failure says of its effect is set by the functions of `core/base/errors.ts`, and read from an earlier release in one file. */
import { isCode, lineAt, type SourceFile, type Violation } from "./source-tree.ts";
import { nodesOf } from "./syntax.ts";

const JUDGED = /^(core|tools|adapters|durable-objects|workers)\//;
/** The constructors, and the reader of what earlier releases wrote. */
const MAKERS: readonly string[] = ["core/base/errors.ts", "core/base/read-failure.ts"];
const MESSAGE = "`happened` is set by notSent, maybeSent, asNotSent, asSent or asMaybeSent (core/base/errors.ts)";

/** Objects that are given a `happened` outside the constructors. */
export function strayOutcomes(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ path }) => JUDGED.test(path) && !MAKERS.includes(path) && isCode(path))
    .flatMap((file) =>
      nodesOf(file)
        .filter(({ node, parent }) => isHappened(node) && parent?.type === "ObjectExpression")
        .map(({ node }) => ({ path: file.path, line: lineAt(file.text, node.start), message: MESSAGE })),
    );
}

function isHappened(node: ReturnType<typeof nodesOf>[number]["node"]): boolean {
  return node.type === "Property" && node.key.type === "Identifier" && node.key.name === "happened";
}
