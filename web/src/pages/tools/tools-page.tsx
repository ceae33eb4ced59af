/** The tool bus: everything that agents can be given, found by what one wants done. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Boxes } from "lucide-react";
import { useCallback, useState } from "react";
import type { Tool } from "../../api/types.generated.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { More } from "../../ui/more.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { ToolBadges } from "./tool-badges.tsx";
import { toolsQuery } from "./tool-queries.ts";
import { readToolsSearch } from "./tools-search.ts";
import { byToolbox, formatSource, toolboxTitle } from "./tool-words.ts";
import { Name } from "../../ui/name.tsx";

/** Tools that are laid out at once; integrations bring thousands. */
const SHOWN_AT_ONCE = 100;

export function ToolsPage() {
  const { query = "", toolbox = "" } = useSearch({ from: "/console/tools" });
  const navigate = useNavigate();
  const search = useCallback(
    (next: string) => void navigate({ to: "/tools", search: readToolsSearch({ query: next, toolbox }), replace: true }),
    [navigate, toolbox],
  );
  const all = useQuery(toolsQuery());
  const boxes = byToolbox(all.data ?? []).map((box) => box.toolbox);
  return (
    <Page
      title="Tools"
      lead="What agents can do, each with what it needs and what it changes. Open one to read about it and to try it."
      actions={
        <Link to="/tool-sources" className={buttonClasses()}>
          <Boxes aria-hidden className="size-4" />
          Your own tools
        </Link>
      }
    >
      <div className="flex flex-wrap items-end gap-2">
        <div className="flex min-w-0 flex-1 basis-72">
          <SearchBox label="What do you want done?" value={query} onSearch={search} />
        </div>
        <SelectField
          label="Toolbox"
          hidesLabel
          className="w-full sm:w-56"
          value={toolbox}
          onChange={({ target }) =>
            void navigate({ to: "/tools", search: readToolsSearch({ query, toolbox: target.value }) })
          }
        >
          <option value="">All toolboxes</option>
          {boxes.map((box) => (
            <option key={box} value={box}>
              {toolboxTitle(box)}
            </option>
          ))}
        </SelectField>
      </div>
      <Found query={query} toolbox={toolbox} />
    </Page>
  );
}

function Found({ query, toolbox }: { readonly query: string; readonly toolbox: string }) {
  const { data, error, refetch } = useQuery({
    ...toolsQuery(readToolsSearch({ query, toolbox })),
    // What stood there stays while the next search is read, so that the page keeps its height.
    placeholderData: (before: readonly Tool[] | undefined) => (before === undefined ? undefined : [...before]),
  });
  const [limit, setLimit] = useState(SHOWN_AT_ONCE);
  if (data === undefined)
    return error === null ? (
      <Skeleton rows={8} height="h-20" label="Loading the tools" />
    ) : (
      <ProblemNotice error={error} doing="Couldn't load the tools" onRetry={() => void refetch()} />
    );
  if (data.length === 0)
    return (
      <Empty
        title="No matching tools"
        action={
          <Link to="/tools" className={buttonClasses()}>
            Show all tools
          </Link>
        }
      >
        Use other words, search every toolbox, or add your own tool: an OpenAPI document, an MCP server or a skill.
      </Empty>
    );
  const shown = data.slice(0, limit);
  return (
    <>
      <p role="status" className="sr-only">
        {data.length} tools
      </p>
      {query === "" ? (
        byToolbox(shown).map((box) => (
          <Section key={box.toolbox} title={toolboxTitle(box.toolbox)}>
            <ToolList tools={box.tools} label={toolboxTitle(box.toolbox)} />
          </Section>
        ))
      ) : (
        <Section title={`Best for “${query}”`}>
          <ToolList tools={shown} label="What was found" />
        </Section>
      )}
      <More
        hasMore={data.length > limit}
        isBusy={false}
        shown={shown.length}
        onMore={() => setLimit(limit + SHOWN_AT_ONCE)}
      />
    </>
  );
}

function ToolList({ tools, label }: { readonly tools: readonly Tool[]; readonly label: string }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {tools.map((tool) => (
        <li key={tool.name} className="relative flex flex-col gap-1.5 px-4 py-3 hover:bg-hover">
          <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
            <Link
              to="/tools/$name"
              params={{ name: tool.name }}
              className="font-semibold after:absolute after:inset-0 after:content-['']"
            >
              {tool.name}
            </Link>
            {tool.source === "built_in" ? null : (
              <span className="text-sm text-quiet">
                <Name>{formatSource(tool.source)}</Name>
              </span>
            )}
          </div>
          <p dir="auto" className="line-clamp-2 text-quiet">
            {tool.summary}
          </p>
          <ToolBadges tool={tool} />
        </li>
      ))}
    </ul>
  );
}
