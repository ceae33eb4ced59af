/** Which tools an agent has: patterns, each with what it fits, and every tool by its toolbox. */
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { CheckField, TextField } from "../../ui/field.tsx";
import { byToolbox, toolboxTitle } from "../tools/tool-words.ts";
import type { Permission } from "./agent-config.ts";
import { reachOf, type WordedTool } from "./permissions-in-words.ts";
import { isMatchedBy, isNamedBy } from "../../api/tool-patterns.ts";
import { visibleText } from "../../ui/visible-text.ts";

interface ToolsChooserProps {
  readonly patterns: readonly string[];
  readonly permissions: readonly Permission[];
  readonly tools: readonly WordedTool[];
  readonly error: string | undefined;
  readonly onChange: (patterns: readonly string[]) => void;
}

export function ToolsChooser({ patterns, permissions, tools, error, onChange }: ToolsChooserProps) {
  const { named, usable } = reachOf({ tools: [...patterns], permissions: [...permissions] }, tools);
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Tools</legend>
      <p role="status" className="text-sm text-quiet">
        {`${named.length} of ${tools.length} tools are named${
          usable.length < named.length ? `; ${named.length - usable.length} of them lack a permission` : ""
        }.`}
      </p>
      <Patterns {...{ patterns, tools, onChange }} />
      {error === undefined ? null : <p className="text-sm text-danger">{error}</p>}
      <div className="flex flex-col gap-2">
        {byToolbox(tools).map((box) => (
          <Toolbox key={box.toolbox} {...box} {...{ patterns, onChange }} />
        ))}
      </div>
    </fieldset>
  );
}

function Patterns({ patterns, tools, onChange }: Pick<ToolsChooserProps, "patterns" | "tools" | "onChange">) {
  const [typed, setTyped] = useState("");
  const add = (): void => {
    const pattern = typed.trim();
    if (pattern === "" || patterns.includes(pattern)) return;
    onChange([...patterns, pattern]);
    setTyped("");
  };
  const fits = tools.filter((tool) => isMatchedBy(tool, typed.trim())).length;
  return (
    <>
      {patterns.length === 0 ? null : (
        <ul aria-label="Patterns" className="flex flex-wrap gap-2">
          {patterns.map((pattern, index) => (
            <li
              key={`${index} ${pattern}`}
              className="flex items-center gap-1 rounded-md border border-line bg-sunken pl-2.5"
            >
              <code className="font-mono text-sm">{visibleText(pattern)}</code>
              <span className="text-sm text-quiet">
                {counted(tools.filter((tool) => isNamedBy(tool, [pattern])).length)}
              </span>
              <IconButton
                label={`Remove ${pattern}`}
                onClick={() => onChange(patterns.filter((_, other) => other !== index))}
              >
                <Trash2 aria-hidden className="size-4" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className="flex items-end gap-2">
        <TextField
          className="flex-1"
          label="Add a tool or a pattern"
          hint={typed.trim() === "" ? "* is any characters, ? is one: http_* or files.*" : `Fits ${counted(fits)}.`}
          value={typed}
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            add();
          }}
        />
        <Button className="mb-6" icon={<Plus aria-hidden className="size-4" />} onClick={add}>
          Add
        </Button>
      </div>
    </>
  );
}

function counted(tools: number): string {
  return tools === 1 ? "1 tool" : `${tools} tools`;
}

/** A toolbox to look into, and to choose from one by one. What a pattern takes is taken away with the pattern. */
function Toolbox({
  toolbox,
  tools,
  patterns,
  onChange,
}: Pick<ToolsChooserProps, "patterns" | "onChange"> & {
  readonly toolbox: string;
  readonly tools: readonly WordedTool[];
}) {
  const [isOpen, setOpen] = useState(false);
  const had = tools.filter((tool) => isNamedBy(tool, patterns)).length;
  return (
    <details className="rounded-md border border-line" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="px-3 py-2">
        {toolboxTitle(toolbox)}{" "}
        <span className="text-sm text-quiet">
          {had} of {tools.length}
        </span>
      </summary>
      {isOpen ? (
        <div className="grid gap-2 border-t border-line p-3 sm:grid-cols-2">
          {tools.map((tool) => {
            const isOwn = patterns.includes(tool.name);
            const isTaken = isNamedBy(tool, patterns);
            const by = patterns.find((pattern) => isNamedBy(tool, [pattern]));
            return (
              <CheckField
                key={tool.name}
                label={tool.name}
                hint={isTaken && !isOwn ? `by ${by ?? ""}` : undefined}
                checked={isTaken}
                disabled={isTaken && !isOwn}
                onChange={({ target }) =>
                  onChange(
                    target.checked ? [...patterns, tool.name] : patterns.filter((pattern) => pattern !== tool.name),
                  )
                }
              />
            );
          })}
        </div>
      ) : null}
    </details>
  );
}
