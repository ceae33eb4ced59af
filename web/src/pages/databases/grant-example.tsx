/** How to make a role that only reads. */
import { CodeBlock } from "../../ui/code.tsx";
import { makeGrantExample } from "./database-words.ts";

export function GrantExample({ schemas }: { readonly schemas: readonly string[] }) {
  return (
    <details className="rounded-md border border-line">
      <summary className="px-3 py-2 text-sm font-medium">How to make a role that only reads</summary>
      <div className="flex flex-col gap-2 border-t border-line p-3">
        <p className="text-sm text-quiet">Run this as the owner of the tables, with a password of your own.</p>
        <CodeBlock label="the statements" text={makeGrantExample(schemas)} />
      </div>
    </details>
  );
}
